import type { z } from 'zod'
import type { ConfigField, FilterFacts, FilterKind } from './input.ts'
import type { filterLineSchema } from './runFiles.ts'

type FilterLine = z.infer<typeof filterLineSchema>

/** Counts of the filter's lines by kind, the most frequent first, with its settings; null where nothing was filtered. */
export function filterFacts(lines: readonly FilterLine[], config: readonly ConfigField[]): FilterFacts | null {
  if (lines.length === 0) return null
  const kinds = new Map<string, FilterKind & { groupsWithVariance: number }>()
  for (const { kind, varied, verdict, kept } of lines) {
    const count = kinds.get(kind) ?? { kind, transitions: 0, easy: 0, hopeless: 0, kept: 0, groupsWithVariance: 0 }
    count.transitions++
    if (verdict === 'easy') count.easy++
    if (verdict === 'hopeless') count.hopeless++
    if (kept) count.kept++
    if (varied) count.groupsWithVariance++
    kinds.set(kind, count)
  }
  const settings = config
    .filter(({ path }) => path.startsWith('filter.'))
    .map(({ path, value }): [string, unknown] => [path.slice('filter.'.length), value])
  const { rule = 'unknown', ...others } = Object.fromEntries(settings)
  return {
    rule: String(rule),
    settings: others,
    kinds: [...kinds.values()].sort((a, b) => b.transitions - a.transitions),
  }
}
