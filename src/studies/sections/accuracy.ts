import { mean } from '../../core/index.ts'
import { type Cell, cell, left, right, type Section } from '../../reports/index.ts'
import {
  bySeed,
  exact,
  measuredArm,
  overSeeds,
  primaryOf,
  recordsOfArm,
  type StudyResults,
  worldModelSplits,
} from '../results.ts'
import { empty, overSeedsCell, paragraph, percent } from './words.ts'

/** How well every arm predicts next states, by kind, beside the best baseline; and what its actions are like. */
export function accuracySection(results: StudyResults): Section {
  const title = 'World-model accuracy and actions'
  const split = primaryOf(results) ?? worldModelSplits(results)[0]
  if (!split) return empty('accuracy', title, 'evaluateStage() fills it.')
  const { arms } = results.study
  const kindsOf = results.records.flatMap((record) =>
    record.arms.flatMap(({ worldModel }) => Object.keys(worldModel[split]?.byKind ?? {})),
  )
  const kinds = [...new Set(kindsOf)]
  const share = (values: (number | null | undefined)[]): Cell => {
    const there = values.filter((value) => typeof value === 'number')
    return cell(there.length > 0 ? percent(mean(there)) : '', 'quiet')
  }
  const rows = arms.map(({ arm }): Cell[] => {
    const own = recordsOfArm(results, arm).flatMap((record) => measuredArm(record, arm) ?? [])
    return [
      cell(arm),
      overSeedsCell(overSeeds(bySeed(results, arm, exact(split)))),
      ...kinds.map((kind) => share(own.map(({ worldModel }) => worldModel[split]?.byKind[kind]?.exact))),
      share(own.map(({ policy }) => policy[split]?.invalidShare)),
      share(own.map(({ policy }) => policy[split]?.grounding)),
    ]
  })
  const best = bestBaseline(results, split)
  if (best)
    rows.push([
      cell(`baseline: ${best.name}`),
      cell(percent(best.exact)),
      ...Array.from({ length: kinds.length + 2 }, () => cell('')),
    ])
  return {
    id: 'accuracy',
    title,
    blocks: [
      paragraph(
        `Next states exactly as they came, in percent, on transitions of the base on ${split}, invalid ones kept; the best baseline below. Invalid actions are a share of all steps, grounded takes of those that take.`,
      ),
      {
        block: 'table',
        columns: [
          left('Arm'),
          right('all', 'Next state exact'),
          ...kinds.map((kind) => right(kind, 'Next state exact')),
          right('invalid', 'Actions'),
          right('grounded', 'Actions'),
        ],
        rows,
      },
    ],
  }
}

/** Of the first set of settings alone, the study's own where it has arms under them: others may hold other tasks. */
function bestBaseline({ study, records }: StudyResults, split: string): { name: string; exact: number } | null {
  const prefix = `${split}: `
  const [world] = Object.keys(study.worlds)
  const own = records.filter((one) => one.world === world)
  const names = Object.keys(own[0]?.baselines ?? {}).filter((name) => name.startsWith(prefix))
  const found = names.map((name) => ({
    name: name.slice(prefix.length),
    exact: mean(own.flatMap(({ baselines }) => baselines[name] ?? [])),
  }))
  return found.reduce<(typeof found)[number] | null>((a, b) => (a === null || b.exact > a.exact ? b : a), null)
}
