import { expect, it } from 'vitest'
import type { ChatMessage, ChatModel } from '../../../services/index.ts'
import { modelJudge } from './model-judge.ts'

function judgeThatSays(...texts: string[]): { model: ChatModel; asked: ChatMessage[][] } {
  const asked: ChatMessage[][] = []
  const model: ChatModel = {
    name: 'judge',
    async complete(messages) {
      asked.push([...messages])
      return {
        text: texts[Math.min(asked.length, texts.length) - 1],
        reasoning: '',
        toolCalls: [],
        finishReason: 'stop',
        usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
        usageEstimated: false,
        cost: 0,
        cached: false,
      }
    },
  }
  return { model, asked }
}

const verdict = (met: boolean) =>
  JSON.stringify({ results: [{ expectedOutcome: "It's done", reasoning: 'seen', metExpectation: met }] })

it('is asked about every outcome, and read inside a fence too', async () => {
  const { model, asked } = judgeThatSays(`\`\`\`json\n${verdict(true)}\n\`\`\``)
  expect(await modelJudge(model).judge('user: Hi', ["It's done"])).toEqual([
    { outcome: "It's done", met: true, reason: 'seen' },
  ])
  expect(asked[0][1].content).toContain('conversation:\n        user: Hi\n')
  expect(asked[0][1].content).toContain('["It\'s done"]')
})

it('is asked again where it decides nothing, and gives no result in the end', async () => {
  const again = judgeThatSays('Hm.', '{"results": []}', verdict(false))
  expect(await modelJudge(again.model).judge('', ["It's done"])).toMatchObject([{ met: false }])
  expect(again.asked).toHaveLength(3)
  await expect(modelJudge(judgeThatSays('Hm.').model).judge('', ['x'])).rejects.toThrow(/no verdict .* after 4 tries/)
})
