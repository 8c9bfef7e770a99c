import {
  type Cell,
  cell,
  colourOf,
  intervalChart,
  left,
  PAPER_FIGURES,
  right,
  type Section,
} from '../../reports/index.ts'
import type { RegisteredArm } from '../registered.ts'
import {
  bySeed,
  exact,
  isMain,
  overSeeds,
  recordsOfArm,
  type StudyResults,
  splitsOf,
  success,
  worldModelSplits,
} from '../results.ts'
import { isVariation, type Role, roleOf, unvaried } from '../roles.ts'
import { empty, note, overSeedsCell, paragraph, shareRange } from './words.ts'

/** Methods of the paper's second table: they learn from chosen trajectories. */
const SUPERVISED: readonly Role[] = ['rft', 'imitation', 'iwm', 'sr']

const PAPER = 'The paper (7B, 8B)'

/** Table 1: success of every arm that runs under the study's own settings and learns from its own play. */
export function mainResults(results: StudyResults): Section {
  const { study } = results
  const own = study.arms.filter(
    (arm) => isMain(arm) && !SUPERVISED.includes(roleOf(study, arm)!) && !isAblation(results, arm),
  )
  return successSection(results, own, 'main', 'Table 1: main results', [
    paragraph(
      'Success on held-out tasks in percent: mean ± standard deviation over seeds, and Student’s 95 % interval over seeds below. The paper’s figures are of other models on the full benchmarks: levels are not comparable.',
    ),
  ])
}

/** Table 2: beside methods that learn from experts' or chosen trajectories. */
export function expertResults(results: StudyResults): Section {
  const title = 'Table 2: beside imitation, implicit world modelling and self-reflection'
  const { study } = results
  const supervised = study.arms.filter((arm) => SUPERVISED.includes(roleOf(study, arm)!))
  if (supervised.length === 0) {
    return empty(
      'experts',
      title,
      'an arm of rejection sampling, imitation, implicit world modelling or self-reflection fills it.',
    )
  }
  const beside = study.arms.filter((arm) => ['base', 'policyRl', 'rwmlPolicyRl'].includes(roleOf(study, arm)!))
  return successSection(results, [...beside, ...supervised], 'experts', title, [])
}

/** Controls and variations stand in the table of ablations, where they vary something that the study has. */
function isAblation({ study }: StudyResults, arm: RegisteredArm): boolean {
  return isVariation(study, arm) && (arm.stages.length === 1 || unvaried(study, arm) !== null)
}

function successSection(
  results: StudyResults,
  arms: readonly RegisteredArm[],
  id: string,
  title: string,
  intro: Section['blocks'],
): Section {
  const splits = splitsOf(results)
  const measures = splits.length > 0 ? splits : worldModelSplits(results)
  const pick = splits.length > 0 ? success : exact
  const of = (arm: RegisteredArm, split: string) => overSeeds(bySeed(results, arm.arm, pick(split)))
  const rows = arms.map((arm): Cell[] => {
    const paper = PAPER_FIGURES.find(({ row }) => row === roleOf(results.study, arm))
    return [
      cell(arm.arm),
      cell(`${recordsOfArm(results, arm.arm).length} of ${arm.seeds.length}`, 'quiet'),
      ...measures.map((split) => overSeedsCell(of(arm, split), 'strong')),
      cell(paper?.alfworld ?? '', 'quiet'),
      cell(paper?.tau2 ?? '', 'quiet'),
    ]
  })
  const chart = intervalChart({
    label: `${title}: mean over seeds with 95 % intervals`,
    width: 900,
    names: 210,
    unit: 'share',
    groups: measures.map((split) => ({
      title: split,
      rows: arms.map((arm, index) => {
        const found = of(arm, split)
        return {
          name: arm.arm,
          colour: colourOf(index),
          value: found?.mean ?? null,
          interval: shareRange(found?.interval ?? null),
        }
      }),
    })),
  })
  return {
    id,
    title,
    blocks: [
      ...intro,
      ...(splits.length === 0 ? [note('There is no task reward: next states predicted exactly, in percent.')] : []),
      {
        block: 'table',
        columns: [
          left('Arm'),
          right('Seeds'),
          ...measures.map((split) => right(split, 'This study')),
          right('ALFWorld', PAPER),
          right('τ²-bench', PAPER),
        ],
        rows,
      },
      {
        block: 'figures',
        perRow: 1,
        figures: [{ title: 'Mean over seeds', caption: '95 % intervals', drawing: chart }],
        text: [],
      },
    ],
  }
}
