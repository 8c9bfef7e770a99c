import type { ArmResult, EpisodeResult } from '../../evaluation/index.ts'
import { type Cell, cell, left, right, type Section } from '../document.ts'
import { formatShare } from '../format.ts'
import type { ReportInput } from '../input.ts'

/** How many steps were needed and how many were for nothing, by split and by kind of task (or domain); none where none was played. */
export function stepsSection(input: ReportInput): Section | null {
  const arms = [...(input.evaluation?.arms ?? []), ...input.players].filter(({ policy }) => policy.length > 0)
  if (arms.length === 0) return null
  const splits = [...new Set(arms.flatMap(({ policy }) => policy.map(({ split }) => split)))]
  const kinds = [...new Set(arms.flatMap((arm) => episodesOf(arm).flatMap(({ kind }) => kind ?? [])))].sort()
  const groups = [
    ...splits.map((split) => ({ name: split, of: (arm: ArmResult) => episodesOf(arm, split) })),
    ...(kinds.length > 1 ? kinds : []).map((kind) => ({
      name: kind.replaceAll('_', ' '),
      of: (arm: ArmResult) => episodesOf(arm).filter((episode) => episode.kind === kind),
    })),
  ]
  const columns = arms.flatMap(({ arm }) => ['invalid', 'wasted', 'steps if solved'].map((title) => right(title, arm)))
  return {
    id: 'steps',
    title: 'How steps were spent',
    blocks: [
      {
        block: 'table',
        columns: [left('Tasks'), ...columns],
        rows: groups.map(({ name, of }) => [cell(name), ...arms.flatMap((arm) => cells(of(arm)))]),
      },
      {
        block: 'note',
        content: [
          'Invalid: not admissible. Wasted: invalid, or an action taken before and answered by the same words, with nothing new done or seen since. Both as shares of all steps. Steps if solved: mean length of the episodes that succeeded.',
        ],
      },
    ],
  }
}

function episodesOf({ policy }: ArmResult, split?: string): EpisodeResult[] {
  return policy.filter((result) => split === undefined || result.split === split).flatMap(({ episodes }) => episodes)
}

function cells(episodes: readonly EpisodeResult[]): Cell[] {
  const sum = (of: (one: EpisodeResult) => number) => episodes.reduce((total, one) => total + of(one), 0)
  const steps = sum((one) => one.steps)
  const share = (count: number) => (steps === 0 ? cell('–', 'quiet') : cell(formatShare(count / steps)))
  const solved = episodes.filter((one) => one.solved)
  const counted = episodes.every(({ wasted }) => wasted !== undefined)
  return [
    share(sum((one) => one.invalid)),
    counted ? share(sum((one) => one.wasted ?? 0)) : cell('–', 'quiet'),
    solved.length === 0
      ? cell('–', 'quiet')
      : cell((solved.reduce((total, one) => total + one.steps, 0) / solved.length).toFixed(1)),
  ]
}
