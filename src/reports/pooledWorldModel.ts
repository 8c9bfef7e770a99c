import type { WorldModelResult } from '../evaluation/index.ts'

/** All predictions of one predictor, its splits taken together; null when there are none. */
export function pooledWorldModel(results: readonly WorldModelResult[], predictor = 'model'): WorldModelResult | null {
  const parts = results.filter((result) => result.predictor === predictor && result.transitions > 0)
  const transitions = parts.reduce((sum, part) => sum + part.transitions, 0)
  if (transitions === 0) return null
  const pooled = (key: 'exact' | 'rewarded' | 'parseRate') =>
    parts.reduce((sum, part) => sum + part[key] * part.transitions, 0) / transitions
  const byKind: WorldModelResult['byKind'] = {}
  for (const [kind, found] of parts.flatMap((part) => Object.entries(part.byKind))) {
    const before = byKind[kind] ?? { transitions: 0, exact: 0, rewarded: 0 }
    const total = before.transitions + found.transitions
    const share = (key: 'exact' | 'rewarded') =>
      total === 0 ? 0 : (before[key] * before.transitions + found[key] * found.transitions) / total
    byKind[kind] = { transitions: total, exact: share('exact'), rewarded: share('rewarded') }
  }
  return {
    predictor,
    split: parts.map((part) => part.split).join(' + '),
    transitions,
    exact: pooled('exact'),
    rewarded: pooled('rewarded'),
    parseRate: pooled('parseRate'),
    byKind,
    examples: parts.flatMap((part) => part.examples),
  }
}
