import { type Cell, cell, PAPER_FORGETTING, type Section } from '../../reports/index.ts'
import { bySeed, overSeeds, type StudyResults } from '../results.ts'
import { roleOf } from '../roles.ts'
import { empty, left, overSeedsCell, paragraph, right } from './words.ts'

/** Table 4: what was forgotten, by benchmark. */
export function forgettingSection(results: StudyResults): Section {
  const title = 'Table 4: forgetting'
  const arms = results.records.flatMap((record) => record.arms)
  const benchmarks = [...new Set(arms.flatMap((arm) => Object.keys(arm.benchmarks ?? {})))]
  if (benchmarks.length === 0) {
    return empty('forgetting', title, 'a stage among evaluate that plays benchmarks before and after fills it.')
  }
  const paper = (benchmark: string, arm: string): Cell => {
    const found = PAPER_FORGETTING.find((one) => one.benchmark.toLowerCase() === benchmark.toLowerCase())
    const role = roleOf(results.study.arms.find((one) => one.arm === arm)!)
    const value = role === 'base' || role === 'wmSft' || role === 'rwml' ? found?.[role] : undefined
    return cell(value ?? '', 'quiet')
  }
  return {
    id: 'forgetting',
    title,
    blocks: [
      paragraph(
        'Scores in percent, mean ± standard deviation over seeds; beside each the paper’s, of another model (trained on ALFWorld; IFEval: on τ²-bench).',
      ),
      {
        block: 'table',
        columns: [
          left('Arm'),
          ...benchmarks.flatMap((benchmark) => [right('here', benchmark), right('paper', benchmark)]),
        ],
        rows: results.study.arms.map(({ arm }) => [
          cell(arm),
          ...benchmarks.flatMap((benchmark) => [
            overSeedsCell(overSeeds(bySeed(results, arm, (one) => one.benchmarks?.[benchmark]))),
            paper(benchmark, arm),
          ]),
        ]),
      },
    ],
  }
}
