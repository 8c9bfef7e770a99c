import type { ArmResult } from '../../evaluation/index.ts'
import { type Cell, cell, type Section } from '../document.ts'
import type { ReportInput } from '../input.ts'

/** What the environment says of how episodes went, all splits together; none where it says nothing. */
export function conductSection(input: ReportInput): Section | null {
  const arms = [...(input.evaluation?.arms ?? []), ...input.players]
  const told = arms.map(factsOf)
  const names = [...new Set(told.flatMap((facts) => [...facts.keys()]))].sort()
  const failed = arms.map((arm) => arm.policy.reduce((sum, { failed = 0 }) => sum + failed, 0))
  if (names.length === 0) return null
  const rows: Cell[][] = names.map((name) => [cell(name), ...told.map((facts) => cell(facts.get(name) ?? '–'))])
  if (failed.some((count) => count > 0)) {
    rows.push([cell('left out: broke, not by the agent'), ...failed.map((count) => cell(String(count)))])
  }
  return {
    id: 'conduct',
    title: 'How episodes went',
    blocks: [
      {
        block: 'table',
        columns: [
          { title: 'As the environment tells it', align: 'left' },
          ...arms.map((arm) => ({ title: arm.arm, align: 'right' as const })),
        ],
        rows,
      },
      { block: 'note', content: ['Episodes of all evaluation runs and splits: means of numbers, counts of words.'] },
    ],
  }
}

/** One line a fact in words and value, and one a fact in numbers. */
function factsOf(arm: ArmResult): Map<string, string> {
  const counts = new Map<string, number>()
  const sums = new Map<string, { sum: number; episodes: number }>()
  for (const { facts, episodes, failed = 0 } of arm.policy) {
    if (!facts) continue
    for (const [name, values] of Object.entries(facts.counts)) {
      for (const [value, count] of Object.entries(values)) {
        counts.set(`${name}: ${value}`, (counts.get(`${name}: ${value}`) ?? 0) + count)
      }
    }
    const size = episodes.length + failed
    for (const [name, mean] of Object.entries(facts.means)) {
      const before = sums.get(name) ?? { sum: 0, episodes: 0 }
      sums.set(name, { sum: before.sum + mean * size, episodes: before.episodes + size })
    }
  }
  const means = [...sums].map(([name, { sum, episodes }]): [string, string] => [name, (sum / episodes).toFixed(2)])
  return new Map([...[...counts].map(([name, count]): [string, string] => [name, String(count)]), ...means])
}
