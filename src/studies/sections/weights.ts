import { mean } from '../../core/index.ts'
import { type Cell, cell, type Figure, heatMap, left, right, type Section } from '../../reports/index.ts'
import type { RecordedWeights, StudyRecord } from '../record.ts'
import { overSeeds, type StudyResults } from '../results.ts'
import { empty, overSeedsCell, paragraph } from './words.ts'

/** Figure 3: which weights moved. */
export function weightsSection({ records }: StudyResults): Section {
  const title = 'Figure 3: weight change'
  const named = records.map((record) => ({ seed: record.seed, weights: weightsByTitle(record) }))
  const all = named.flatMap(({ weights }) => weights)
  if (all.length === 0) return empty('weights', title, 'a stage among evaluate that measures weight change fills it.')
  const pairs = [...new Map(all.map((one) => [`${one.from} → ${one.to}`, one])).keys()]
  const rows = pairs.map((pair): Cell[] => {
    const found = named.flatMap(({ seed, weights }) =>
      weights.filter((one) => `${one.from} → ${one.to}` === pair).map((one) => ({ seed, value: one.moved })),
    )
    return [cell(pair), overSeedsCell(overSeeds(found))]
  })
  return {
    id: 'weights',
    title,
    blocks: [
      paragraph(
        'Share of weights that moved by more than a thousandth of themselves, in percent, mean ± sd over seeds.',
      ),
      { block: 'table', columns: [left('From → to'), right('Moved')], rows },
      {
        block: 'figures',
        perRow: 1,
        figures: pairs.map((pair) => weightFigure(pair, all)),
        text: [],
      },
    ],
  }
}

/** A stage that no arm ends with is called by its title, where that is its own. */
function weightsByTitle({ stages, weights = [] }: StudyRecord): RecordedWeights[] {
  const nameOf = (end: string) => {
    const title = stages.find(({ name }) => name === end)?.title ?? end
    return stages.filter((stage) => stage.title === title).length === 1 ? title : end
  }
  return weights.map((one) => ({ ...one, from: nameOf(one.from), to: nameOf(one.to) }))
}

/** By layer and module, the mean over seeds; all maps have one scale. */
function weightFigure(pair: string, all: readonly RecordedWeights[]): Figure {
  const cells = all.filter((one) => `${one.from} → ${one.to}` === pair).flatMap((one) => one.cells)
  const layers = [...new Set(cells.map(({ layer }) => layer))].sort((a, b) => a - b)
  const modules = [...new Set(cells.map(({ module }) => module))]
  const share = (some: typeof cells) => mean(some.map(({ moved }) => moved))
  return {
    title: pair,
    caption: 'share of weights moved, mean over seeds',
    drawing: heatMap({
      label: `Weights moved, ${pair}`,
      width: 900,
      across: 'layer',
      columns: layers.map(String),
      rows: modules.map((module) => {
        const own = cells.filter((one) => one.module === module)
        return {
          name: module,
          values: layers.map((layer) => {
            const here = own.filter((one) => one.layer === layer)
            return here.length > 0 ? share(here) : null
          }),
          all: share(own),
        }
      }),
      high: Math.max(0.01, ...all.flatMap((one) => one.cells.map(({ moved }) => moved))),
    }),
  }
}
