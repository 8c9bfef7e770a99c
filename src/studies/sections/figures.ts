import { mean } from '../../core/index.ts'
import {
  type Cell,
  cell,
  colourOf,
  type Figure,
  heatMap,
  intervalChart,
  lineChart,
  type Section,
} from '../../reports/index.ts'
import { baseGains } from '../base-strength.ts'
import { differenceOf } from '../compare.ts'
import type { RecordedWeights } from '../record.ts'
import type { RegisteredArm } from '../registered.ts'
import { bySeed, overSeeds, primaryOf, type StudyResults, success } from '../results.ts'
import { empty, left, overSeedsCell, paragraph, percent, pointRange, points, right } from './words.ts'

/** Figure 3: which weights moved. */
export function weightsSection({ records }: StudyResults): Section {
  const title = 'Figure 3: weight change'
  const all = records.flatMap(({ weights = [] }) => weights)
  if (all.length === 0) return empty('weights', title, 'a stage among evaluate that measures weight change fills it.')
  const pairs = [...new Map(all.map((one) => [`${one.from} → ${one.to}`, one])).keys()]
  const rows = pairs.map((pair): Cell[] => {
    const found = records.flatMap(({ seed, weights = [] }) =>
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

/** Figure 4: what one method gains from bases of different strength. */
export function strengthSection(results: StudyResults): Section {
  const title = 'Figure 4: strength of the base'
  const gains = baseGains(results)
  if (gains.length < 2) {
    return empty('strength', title, 'a method under several bases, by settings: { model: { path } }, fills it.')
  }
  const found = gains.map(({ base, arm, seeds }) => {
    const [before, after] = [seeds.map((one) => one.before), seeds.map((one) => one.after)]
    return { base, arm, before, gain: differenceOf(before, after)! }
  })
  return {
    id: 'strength',
    title,
    blocks: [
      paragraph(`Success on ${primaryOf(results)}, in percent; the weakest base first. Intervals are over seeds.`),
      {
        block: 'table',
        columns: [
          left('Base'),
          left('Arm'),
          right('Seeds'),
          right('Base’s success'),
          right('After'),
          right('Gain, points'),
        ],
        rows: found.map(({ base, arm, gain }) => [
          cell(base),
          cell(arm, 'quiet'),
          cell(`${gain.seeds}`),
          cell(percent(gain.first)),
          cell(percent(gain.second)),
          { text: points(gain.difference), below: gain.interval ? pointRange(gain.interval) : 'one seed' },
        ]),
      },
      {
        block: 'figures',
        perRow: 1,
        figures: [
          {
            title: 'Gain by base',
            caption: 'points, 95 % intervals',
            drawing: intervalChart({
              label: 'Gain in success by base',
              width: 900,
              names: 260,
              unit: 'share',
              groups: [
                {
                  title: 'weakest base first',
                  rows: found.map(({ base, before, gain }, index) => ({
                    name: `${base} (${percent(mean(before))})`,
                    colour: colourOf(index),
                    value: gain.difference,
                    interval: gain.interval,
                  })),
                },
              ],
            }),
          },
        ],
        text: [],
      },
    ],
  }
}

/** Success along the steps of each arm's last stage: a line an arm (mean over seeds), a faint one a seed. */
export function curvesSection(results: StudyResults): Section {
  const title = 'Learning curves'
  const { arms } = results.study
  const drawn = arms.filter(({ curve }) => curve.length > 0)
  const split = primaryOf(results)
  if (drawn.length === 0 || split === null) {
    return empty('curves', title, 'a last stage with curve: [5, 10, …] fills them.')
  }
  const curves = drawn
    .map((arm) => ({ arm, seeds: curveOf(results, arm, split) }))
    .filter(({ seeds }) => seeds.length > 0)
  const steps = [...new Set(curves.flatMap(({ seeds }) => seeds.flatMap(({ points }) => points.map(([at]) => at))))]
  steps.sort((a, b) => a - b)
  const at = (seeds: Curve[], step: number) =>
    seeds.flatMap(({ seed, points }) => points.filter(([one]) => one === step).map(([, value]) => ({ seed, value })))
  return {
    id: 'curves',
    title,
    blocks: [
      paragraph(`Success on ${split} along the steps of each arm’s last stage.`),
      {
        block: 'figures',
        perRow: 1,
        figures: [
          {
            title: `Success on ${split}`,
            caption: 'faint: single seeds',
            drawing: lineChart({
              label: `Success on ${split} along training steps`,
              x: 'steps of the last stage',
              y: 'share of tasks solved',
              unit: 'share',
              width: 900,
              height: 380,
              series: curves.map(({ arm, seeds }, index) => ({
                name: arm.arm,
                colour: colourOf(index + 1),
                points: steps.flatMap((step) => {
                  const values = at(seeds, step)
                  return values.length > 0 ? [[step, mean(values.map(({ value }) => value))] as const] : []
                }),
                behind: seeds.map(({ points }) => points),
              })),
            }),
          },
        ],
        text: [],
      },
      {
        block: 'table',
        columns: [left('Success, % after steps'), ...steps.map((step) => right(String(step)))],
        rows: curves.map(({ arm, seeds }) => [
          cell(arm.arm),
          ...steps.map((step) => {
            const found = overSeeds(at(seeds, step))
            return cell(found ? `${percent(found.mean)} ± ${percent(found.sd)}` : '')
          }),
        ]),
      },
    ],
  }
}

interface Curve {
  seed: number
  points: (readonly [step: number, success: number])[]
}

/** From the arm that it starts from, where the study has that, to its end. */
function curveOf(results: StudyResults, arm: RegisteredArm, split: string): Curve[] {
  const { arms } = results.study
  const chain = (one: RegisteredArm) => one.stages.map(({ text }) => text).join('\n')
  const start = arms.find(
    (one) =>
      one.world === arm.world &&
      chain(one) ===
        arm.stages
          .slice(0, -1)
          .map(({ text }) => text)
          .join('\n'),
  )
  const value = (name: string, step?: number) =>
    new Map(bySeed(results, name, success(split), step).map((one) => [one.seed, one.value]))
  const points = [
    ...(start ? [[0, value(start.arm)] as const] : []),
    ...arm.curve.map((step) => [step, value(arm.arm, step)] as const),
  ]
  return arm.seeds.flatMap((seed) => {
    const end = value(arm.arm).get(seed)
    const last = stepsOf(results, arm, seed)
    if (end === undefined || last === null) return []
    const before = points.flatMap(([step, values]) => {
      const found = values.get(seed)
      return found === undefined ? [] : [[step, found] as const]
    })
    return [{ seed, points: [...before, [last, end] as const] }]
  })
}

/** Steps of an arm's last stage, as its record says: `20 steps; …`, `60 world-model and 20 policy steps`. */
function stepsOf({ records }: StudyResults, arm: RegisteredArm, seed: number): number | null {
  const record = records.find((one) => one.world === arm.world && one.seed === seed)
  const own = record?.ends.find((one) => one.arm === arm.arm)?.paysFor ?? []
  const last = record?.stages.filter(({ name }) => own.includes(name)).at(-1)
  const found = last?.notes.map((text) => /(\d+) (?:policy )?steps/.exec(text)).find((one) => one !== null)
  return found ? Number(found[1]) : null
}
