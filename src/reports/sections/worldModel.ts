import type { WorldModelResult } from '../../evaluation/index.ts'
import { barChart } from '../charts/barChart.ts'
import { colourOf, NEUTRAL } from '../charts/palette.ts'
import { type Block, cell, type Figure, type Section } from '../document.ts'
import { formatCount, formatShare, plural } from '../format.ts'
import type { ReportInput } from '../input.ts'
import { pooledWorldModel } from '../pooledWorldModel.ts'

interface Predictor {
  name: string
  colour: string
  result: WorldModelResult
}

/** Next-state accuracy by kind of transition: every arm beside the baselines that need no model. */
export function worldModelSection(input: ReportInput): Section {
  const predictors = predictorsOf(input)
  const title = 'World-model accuracy by kind of transition'
  if (predictors.length === 0) {
    return { id: 'world-model', title, blocks: [{ block: 'paragraph', content: ['Not measured.'] }] }
  }
  const counts = new Map<string, number>()
  for (const [kind, { transitions }] of predictors.flatMap(({ result }) => Object.entries(result.byKind))) {
    counts.set(kind, Math.max(counts.get(kind) ?? 0, transitions))
  }
  // An environment without kinds has one, `all`, which says nothing that the first chart does not.
  const kinds = [...counts.keys()].filter((kind) => kind !== 'all')
  const all = Math.max(...predictors.map(({ result }) => result.transitions))
  return {
    id: 'world-model',
    title,
    blocks: [
      {
        block: 'figures',
        perRow: 2,
        figures: [
          kindFigure('All', all, predictors, (result) => result),
          ...kinds.map((kind) => kindFigure(kind, counts.get(kind) ?? 0, predictors, (result) => result.byKind[kind])),
        ],
        text: [kindTable(kinds, counts, all, predictors)],
      },
      {
        block: 'note',
        content: [
          'Share of next states predicted exactly; in the charts the pale part reaches to the share that earns the reward. Grey: baselines without a model, on the same transitions. Kinds with few transitions say little.',
        ],
      },
    ],
  }
}

function predictorsOf({ evaluation }: ReportInput): Predictor[] {
  if (!evaluation) return []
  const arms = evaluation.arms.flatMap(({ arm, worldModel }, index) => {
    const result = pooledWorldModel(worldModel)
    return result ? [{ name: arm, colour: colourOf(index), result }] : []
  })
  const names = [...new Set(evaluation.worldModelBaselines.map((baseline) => baseline.predictor))]
  const baselines = names.flatMap((name) => {
    const result = pooledWorldModel(evaluation.worldModelBaselines, name)
    return result ? [{ name, colour: NEUTRAL, result }] : []
  })
  return [...arms, ...baselines]
}

function kindFigure(
  kind: string,
  transitions: number,
  predictors: readonly Predictor[],
  pick: (result: WorldModelResult) => { exact: number; rewarded: number } | undefined,
): Figure {
  return {
    title: kind,
    caption: plural(transitions, 'transition'),
    drawing: barChart({
      label: `World-model accuracy, ${kind}`,
      width: 510,
      names: 190,
      high: 1,
      bars: predictors.map(({ name, colour, result }) => ({
        name,
        colour,
        value: pick(result)?.exact ?? null,
        behind: pick(result)?.rewarded ?? null,
      })),
    }),
  }
}

function kindTable(
  kinds: readonly string[],
  counts: ReadonlyMap<string, number>,
  all: number,
  predictors: readonly Predictor[],
): Block {
  const text = (found: { exact: number; rewarded: number } | undefined) =>
    found ? `${formatShare(found.exact)} (${formatShare(found.rewarded)})` : formatShare(null)
  return {
    block: 'table',
    columns: [
      { title: 'exact (by reward)', align: 'left' },
      { title: 'transitions', align: 'right' },
      ...predictors.map(({ name }) => ({ title: name, align: 'right' as const })),
    ],
    rows: [
      [cell('All'), cell(formatCount(all)), ...predictors.map(({ result }) => cell(text(result)))],
      ...kinds.map((kind) => [
        cell(kind),
        cell(formatCount(counts.get(kind))),
        ...predictors.map(({ result }) => cell(text(result.byKind[kind]))),
      ]),
    ],
  }
}
