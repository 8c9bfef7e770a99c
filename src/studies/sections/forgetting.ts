import { type Cell, cell, left, PAPER_FORGETTING, right, type Section } from '../../reports/index.ts'
import type { RecordedScore } from '../record.ts'
import { bySeed, overSeeds, type StudyResults } from '../results.ts'
import { roleOf } from '../roles.ts'
import { empty, numberCell, overSeedsCell, paragraph } from './words.ts'

/** Table 4: what was forgotten, by benchmark. */
export function forgettingSection(results: StudyResults): Section {
  const title = 'Table 4: forgetting'
  const arms = results.records.flatMap((record) => record.arms)
  const benchmarks = new Map(arms.flatMap((arm) => Object.entries(arm.benchmarks ?? {})))
  if (benchmarks.size === 0) {
    return empty('forgetting', title, 'a stage among evaluate that plays benchmarks before and after fills it.')
  }
  const paper = (benchmark: string, arm: string): Cell => {
    const found = PAPER_FORGETTING.find((one) => one.benchmark.toLowerCase() === benchmark.toLowerCase())
    const role = roleOf(results.study, results.study.arms.find((one) => one.arm === arm)!)
    const value = role === 'base' || role === 'wmSft' || role === 'rwml' ? found?.[role] : undefined
    return cell(value ?? '', 'quiet')
  }
  const here = (arm: string, benchmark: string, { unit }: RecordedScore): Cell => {
    const found = overSeeds(bySeed(results, arm, (one) => one.benchmarks?.[benchmark]?.value))
    return unit === 'share' ? overSeedsCell(found) : numberCell(found)
  }
  return {
    id: 'forgetting',
    title,
    blocks: [
      paragraph(
        'Mean ± standard deviation over seeds: scores in percent, losses in nats a token, where less is better. Beside each the paper’s, of another model (trained on ALFWorld; IFEval: on τ²-bench).',
      ),
      {
        block: 'table',
        columns: [
          left('Arm'),
          ...[...benchmarks].flatMap(([benchmark, score]) => [
            right(`here, ${unitOf(score)}`, benchmark),
            right('paper', benchmark),
          ]),
        ],
        rows: results.study.arms.map(({ arm }) => [
          cell(arm),
          ...[...benchmarks].flatMap(([benchmark, score]) => [here(arm, benchmark, score), paper(benchmark, arm)]),
        ]),
      },
    ],
  }
}

function unitOf({ unit, measure }: RecordedScore): string {
  if (unit === 'share') return '%'
  return measure === 'loss' ? 'nats' : measure
}
