/** Groups of predictions of one transition each: GRPO learns only from those whose rewards differ. */
export interface GroupVariance {
  /** Whose predictions: `filter model` or `base model`. */
  source: 'filter model' | 'base model'
  /** Predictions a group. */
  size: number
  /** Share of all predictions that follow the answer format; null where that was not written down (the filter's). */
  parsed: number | null
  all: VarianceCount
  /** Of what the filter kept; null where these were not the filter's groups. */
  kept: VarianceCount | null
  byKind: Record<string, VarianceCount>
}

export interface VarianceCount {
  groups: number
  /** Share of groups whose rewards differ. */
  varied: number
  meanReward: number
}

export interface ScoredGroup {
  kind: string
  varied: boolean
  meanReward: number
  kept?: boolean
  /** Share of the group's predictions that follow the answer format. */
  parsed?: number
}

/** Counts groups with variance, in all and by kind. */
export function groupVariance(
  source: GroupVariance['source'],
  size: number,
  groups: readonly ScoredGroup[],
): GroupVariance {
  const kinds = [...new Set(groups.map((group) => group.kind))]
  const kept = groups.filter((group) => group.kept)
  const parsed = groups.flatMap((group) => group.parsed ?? [])
  return {
    source,
    size,
    parsed: parsed.length > 0 ? parsed.reduce((sum, share) => sum + share, 0) / parsed.length : null,
    all: countOf(groups),
    kept: source === 'filter model' ? countOf(kept) : null,
    byKind: Object.fromEntries(kinds.map((kind) => [kind, countOf(groups.filter((group) => group.kind === kind))])),
  }
}

function countOf(groups: readonly ScoredGroup[]): VarianceCount {
  const share = (sum: number) => (groups.length === 0 ? 0 : sum / groups.length)
  return {
    groups: groups.length,
    varied: share(groups.filter((group) => group.varied).length),
    meanReward: share(groups.reduce((sum, group) => sum + group.meanReward, 0)),
  }
}
