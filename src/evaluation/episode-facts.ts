import { mean, type Trajectory } from '../core/index.ts'

/** What an environment says of its episodes beside their reward, taken together. */
export interface FactSummary {
  /** Of facts in words, how many episodes have which. */
  counts: Record<string, Record<string, number>>
  /** Of facts in numbers, the mean over the episodes that tell it; of yes and no, the share of yes. */
  means: Record<string, number>
}

/** Null where no episode says anything. */
export function summariseFacts(trajectories: readonly Trajectory[]): FactSummary | null {
  const counts: FactSummary['counts'] = {}
  const numbers = new Map<string, number[]>()
  for (const { facts = {} } of trajectories) {
    for (const [name, value] of Object.entries(facts)) {
      if (typeof value === 'string') {
        counts[name] ??= {}
        counts[name][value] = (counts[name][value] ?? 0) + 1
      } else numbers.set(name, [...(numbers.get(name) ?? []), Number(value)])
    }
  }
  if (numbers.size === 0 && Object.keys(counts).length === 0) return null
  return { counts, means: Object.fromEntries([...numbers].map(([name, values]) => [name, mean(values)])) }
}
