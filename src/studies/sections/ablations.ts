import { type Cell, cell, left, PAPER_ABLATIONS, right, type Section } from '../../reports/index.ts'
import { type Difference, differenceIn } from '../compare.ts'
import type { RecordedArm } from '../record.ts'
import type { RegisteredArm } from '../registered.ts'
import {
  bySeed,
  exact,
  measuredArm,
  overSeeds,
  primaryOf,
  recordsOfArm,
  type StudyResults,
  success,
  worldModelSplits,
} from '../results.ts'
import { isVariation, unvaried } from '../roles.ts'
import { empty, note, overSeedsCell, paragraph, pointRange, points, probability } from './words.ts'

/** Table 3: every variation of a method that the study has, beside it: world-model accuracy and success. */
export function ablationsSection(results: StudyResults): Section {
  const title = 'Table 3: ablations and controls'
  const { study } = results
  const varied = study.arms.filter((arm) => isVariation(study, arm))
  if (varied.length === 0) {
    return empty(
      'ablations',
      title,
      'an arm with settings of its own, or a stage with options such as unfiltered, fills it.',
    )
  }
  const split = primaryOf(results) ?? worldModelSplits(results)[0] ?? study.primary
  const pairs = varied.map((arm) => ({ arm, reference: unvaried(study, arm) }))
  const references = [...new Set(pairs.map(({ reference }) => reference).filter((one) => one !== null))]
  const group = (reference: RegisteredArm | null) => pairs.filter((one) => one.reference === reference)
  const rows = [
    ...references.flatMap((reference) => [
      row(results, reference, null, split),
      ...group(reference).map(({ arm }) => row(results, arm, reference, split)),
    ]),
    ...group(null).map(({ arm }) => row(results, arm, null, split)),
  ]
  const alike = pairs.filter(({ arm, reference }) => reference && isAlike(results, arm.arm, reference.arm))
  return {
    id: 'ablations',
    title,
    blocks: [
      paragraph(
        `On ${split}, in percent, mean ± standard deviation over seeds; differences are to the method above it that is not varied, over the seeds that both have. A second look: p is of Student’s test over seeds and not corrected.`,
      ),
      {
        block: 'table',
        columns: [
          left('Arm'),
          left('Varies'),
          right('Mean', 'Next state exact'),
          right('Difference', 'Next state exact'),
          right('p', 'Next state exact'),
          right('Mean', 'Success'),
          right('Difference', 'Success'),
          right('p', 'Success'),
        ],
        rows,
      },
      ...(alike.length > 0
        ? [
            paragraph(
              `The same in every number: ${alike.map(({ arm }) => arm.arm).join(', ')}. What is varied there changes nothing here.`,
            ),
          ]
        : []),
      note(
        `The paper’s ablations, success in percent (ALFWorld, τ²-bench): ${PAPER_ABLATIONS.map(({ title, alfworld, tau2 }) => `${title} ${[alfworld || '–', tau2].join(', ')}`).join('; ')}.`,
      ),
    ],
  }
}

/** Whether two arms came out the same on every seed that both have, to the last task. */
function isAlike(results: StudyResults, one: string, other: string): boolean {
  const measured = (arm: string) =>
    new Map(
      recordsOfArm(results, arm).flatMap((record): [number, string][] => {
        const found = measuredArm(record, arm)
        return found ? [[record.seed, JSON.stringify([found.policy, found.worldModel])]] : []
      }),
    )
  const [first, second] = [measured(one), measured(other)]
  const seeds = [...first.keys()].filter((seed) => second.has(seed))
  return seeds.length > 0 && seeds.every((seed) => first.get(seed) === second.get(seed))
}

type Pick = (one: RecordedArm) => number | null | undefined

function row(results: StudyResults, arm: RegisteredArm, reference: RegisteredArm | null, split: string): Cell[] {
  const measured = (pick: Pick) => {
    const mean = overSeedsCell(overSeeds(bySeed(results, arm.arm, pick)))
    const against = reference && differenceIn(results, reference.arm, arm.arm, pick)
    return [mean, differenceCell(against), cell(against ? probability(against.p) : '')]
  }
  return [
    cell(arm.arm, reference ? undefined : 'strong'),
    cell(variesText(results, arm), 'quiet'),
    ...measured(exact(split)),
    ...measured(success(split)),
  ]
}

function differenceCell(found: Difference | null): Cell {
  if (!found) return cell('')
  const { difference, interval, seeds } = found
  return { text: points(difference), below: interval ? pointRange(interval) : `${seeds} seed` }
}

/** What it does otherwise than the arm it is held against, in settings and options. */
export function variesText({ study }: StudyResults, arm: RegisteredArm): string {
  const settings = Object.entries(study.worlds[arm.world] ?? {}).map(([path, value]) => `${path} = ${value}`)
  const reference = unvaried(study, arm)
  const options = arm.stages.flatMap(({ text, title, varied }, index) => {
    if (!reference) return varied ? [text] : []
    const usual = reference.stages[index].text
    if (text === usual) return []
    return [usual === title || title !== reference.stages[index].title ? text : `${text} in place of ${usual}`]
  })
  return [...settings, ...options].join('; ')
}
