import { mean } from '../../core/index.ts'
import { cell, colourOf, left, lineChart, right, type Section } from '../../reports/index.ts'
import type { RegisteredArm } from '../registered.ts'
import { bySeed, overSeeds, primaryOf, type StudyResults, success } from '../results.ts'
import { empty, paragraph, percent } from './words.ts'

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
