import { expect, it } from 'vitest'
import { jsonReward } from './json.ts'
import { rougeReward } from './rouge.ts'

it('gives nothing for broken JSON where JSON was due, and changes nothing else', async () => {
  const cases: [predicted: string | null, actual: string][] = [
    ['{"a":1', '{"a":1}'],
    ['a 1', '[{"a":1}]'],
    ['{"a":2}', '{"a":1}'],
    ['{"a":1', 'a 1'],
    ['no order', 'no such order'],
    ['{', '{ is no JSON'],
    [null, '{"a":1}'],
  ]
  const predictions = cases.map(([predicted, actual]) => ({ predicted, actual, from: 'tool' as const }))
  const [plain, strict] = await Promise.all(
    [rougeReward(), jsonReward(rougeReward())].map((one) => one.score(predictions)),
  )
  expect(strict.slice(0, 2)).toEqual([
    { reward: 0, distance: 1 },
    { reward: 0, distance: 1 },
  ])
  expect(plain[0].reward).toBe(1)
  expect(strict.slice(2)).toEqual(plain.slice(2))
})
