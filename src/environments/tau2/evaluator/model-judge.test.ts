import { expect, it } from 'vitest'
import { modelThatSays } from '../../../services/testing/model.ts'
import { modelJudge } from './model-judge.ts'

const verdict = (met: boolean) =>
  JSON.stringify({ results: [{ expectedOutcome: "It's done", reasoning: 'seen', metExpectation: met }] })

it('is asked about every outcome, and read inside a fence too', async () => {
  const model = modelThatSays({ text: `\`\`\`json\n${verdict(true)}\n\`\`\`` })
  expect(await modelJudge(model).judge('user: Hi', ["It's done"])).toEqual([
    { outcome: "It's done", met: true, reason: 'seen' },
  ])
  const [[, request]] = model.asked[0]
  expect(request.content).toContain('conversation:\n        user: Hi\n')
  expect(request.content).toContain('["It\'s done"]')
})

it('is asked again where it decides nothing, and gives no result in the end', async () => {
  const again = modelThatSays({ text: 'Hm.' }, { text: '{"results": []}' }, { text: verdict(false) })
  expect(await modelJudge(again).judge('', ["It's done"])).toMatchObject([{ met: false }])
  expect(again.asked).toHaveLength(3)
  await expect(modelJudge(modelThatSays({ text: 'Hm.' })).judge('', ['x'])).rejects.toThrow(
    /no verdict .* after 4 tries/,
  )
})
