import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { markdownTable } from '../../src/cli/table.ts'
import { mean, sd } from '../../src/core/index.ts'
import { writeFileAtomic } from '../../src/store/index.ts'
import { type Answer, answers, costOf, curveOf, type Measured, measured, stepsToReach, successOf } from './analyse.ts'
import { ARMS, CURVES, EQUAL_COMPUTE_STEPS, STEPS } from './arms.ts'
import { curveFigure } from './figure.ts'
import type { ArmRecord, SeedRecord } from './record.ts'

const percent = (value: number) => (100 * value).toFixed(1)
const withSd = (values: number[]) => `${percent(mean(values))} ± ${percent(sd(values))}`
const points = (value: number) => `${value >= 0 ? '+' : '−'}${percent(Math.abs(value))}`
const probability = (p: number) => (p < 0.001 ? '< 0.001' : p.toFixed(3))
const table = (columns: string[], rows: string[][]) =>
  markdownTable({ columns: columns.map((header, i) => ({ header, align: i === 0 ? 'left' : 'right' })), rows })

/** Levels of success whose first reaching is reported: between what the base has and what policy RL ends with. */
const LEVELS = [0.3, 0.4]

const SPLITS = [
  { split: 'unseen', title: 'generated households, unseen layouts' },
  { split: 'games seen', title: "ALFWorld's valid_seen games" },
  { split: 'games unseen', title: "ALFWorld's valid_unseen games" },
]

const HOW_COMPARED = `Unseen layouts are the primary comparison, fixed before any evaluation; ALFWorld's games are a second look. p: Student's paired
test over seeds; Holm's correction over the questions of a table. Sign flips over n seeds cannot fall below 2 / 2^n. Detectable: the
smallest true difference that so many seeds would show in four of five such studies, from how these differences vary.`

const MEASURES: { title: string; pick(arm: ArmRecord): number }[] = [
  { title: 'Next state predicted exactly', pick: ({ worldModel }) => worldModel.unseen.exact },
  { title: 'Invalid actions', pick: ({ policy }) => policy.unseen.invalidShare },
]

/** docs/results/mini.md and its figure: every number computed from the records. */
export function writePage(root: string, records: readonly SeedRecord[]): void {
  const folder = join(root, 'docs', 'results', 'mini')
  mkdirSync(folder, { recursive: true })
  writeFileAtomic(join(folder, 'curves.svg'), curveFigure(records))
  const splits = SPLITS.filter(({ split }) => records[0].arms[0].policy[split])
  const text = [
    '# The miniature result',
    '',
    readHead(records),
    inShort(answers(records, SPLITS[0].split)),
    '',
    '## Success',
    '',
    'Mean ± sd over seeds, in percent.',
    '',
    successTable(
      records,
      splits.map(({ split }) => split),
    ),
    '',
    ...splits.flatMap(({ split, title }, i) => [
      `### Compared on ${title}`,
      '',
      ...(i === 0 ? [HOW_COMPARED, ''] : []),
      comparisonTable(answers(records, split)),
      '',
    ]),
    '### Compared in other figures, on generated households, unseen layouts',
    '',
    'Secondary: p is of Student’s test over seeds and not corrected.',
    '',
    ...MEASURES.flatMap(({ title, pick }) => [`${title}:`, '', measureTable(measured(records, pick)), '']),
    '## Learning curves',
    '',
    '![Success along policy steps](mini/curves.svg)',
    '',
    curveTable(records),
    '',
    `Policy steps to reach a success of ${LEVELS.map((level) => `${100 * level} %`).join(' and ')} (mean over the seeds that reach it; in brackets how many do):`,
    '',
    stepsTable(records),
    '',
    '## World-model accuracy and actions',
    '',
    'Next state exactly as it came, on transitions of the base on unseen layouts, invalid ones kept; best baseline beside it.',
    '',
    worldModelTable(records),
    '',
    '## Cost',
    '',
    'Each arm with everything it needs, as if it were run alone; means over seeds, one thread a seed.',
    '',
    costTable(records),
    '',
  ].join('\n')
  writeFileAtomic(join(root, 'docs', 'results', 'mini.md'), text)
  console.log(text)
}

function readHead(records: readonly SeedRecord[]): string {
  const commits = [...new Set(records.map(({ commit }) => commit))].join(', ')
  return `\`npm run study:mini -- --seeds ${records.length} --data DIR\`: seeds ${records.map(({ seed }) => seed).join(', ')}, commit ${commits}, ${records[0].machine}. Each seed
has households, draws and an order of its own; the base model is the same. Arms of one seed share collection, filter, tasks and
draws. ${STEPS} policy steps each, ${EQUAL_COMPUTE_STEPS} at equal compute. What was tried before, and why these settings, is in
[mini-choices.md](mini-choices.md).
`
}

/** The verdicts of the primary comparison in one sentence. */
function inShort(found: readonly Answer[]): string {
  const called = ({ second, first, comparison }: Answer) =>
    `${second} − ${first}: ${points(comparison.difference)} points`
  const those = (verdict: string) =>
    found.filter(({ comparison, corrected }) => verdictOf(comparison.difference, corrected) === verdict)
  const listed = (list: readonly Answer[]) => (list.length > 0 ? ` (${list.map(called).join('; ')})` : '')
  const [held, reverse] = [those('yes'), those('no, the reverse')]
  return `**In short:** of ${found.length} questions about success on unseen layouts, ${held.length} can be answered with yes${listed(held)}, and of ${reverse.length} the reverse holds${listed(reverse)}; the others are not shown either way.`
}

function successTable(records: readonly SeedRecord[], splits: string[]): string {
  return table(
    ['arm', 'policy steps', ...splits],
    ARMS.map(({ arm, evaluated, policySteps }) => [
      arm,
      `${policySteps}`,
      ...splits.map((split) => withSd(successOf(records, evaluated, split))),
    ]),
  )
}

function verdictOf(difference: number, corrected: number): string {
  if (corrected >= 0.05) return 'not shown'
  return difference > 0 ? 'yes' : 'no, the reverse'
}

function comparisonTable(found: readonly Answer[]): string {
  return table(
    [
      'question',
      'difference, points',
      '95 % over seeds and tasks',
      '95 % over seeds',
      'p',
      'p, Holm',
      'sign flips',
      'detectable',
      'held?',
    ],
    found.map(({ first, second, asks, comparison, p, corrected, detectable }) => {
      const { difference, interval, overSeeds } = comparison
      const range = (one: { low: number; high: number } | undefined) =>
        one ? `${points(one.low)} to ${points(one.high)}` : '–'
      return [
        `${asks} (${second} − ${first})`,
        points(difference),
        range(interval),
        range(overSeeds?.interval),
        probability(p),
        probability(corrected),
        overSeeds ? probability(overSeeds.signFlips) : '–',
        percent(detectable),
        verdictOf(difference, corrected),
      ]
    }),
  )
}

function measureTable(found: readonly Measured[]): string {
  return table(
    ['question', 'first', 'second', 'difference, points', '95 % over seeds', 'p'],
    found.map(({ question, first, second, difference, interval, p }) => [
      `${question.second} − ${question.first}`,
      percent(first),
      percent(second),
      points(difference),
      `${points(interval.low)} to ${points(interval.high)}`,
      probability(p),
    ]),
  )
}

function curveTable(records: readonly SeedRecord[]): string {
  const steps = [...new Set(CURVES.flatMap((curve) => curve.points.map((point) => point.steps)))].sort((a, b) => a - b)
  return table(
    ['success on unseen layouts, % after policy steps', ...steps.map(String)],
    CURVES.map((curve) => {
      const bySeed = curveOf(records, curve, 'unseen')
      return [
        curve.name,
        ...steps.map((step) => {
          const at = curve.points.findIndex((point) => point.steps === step)
          return at < 0 ? '' : withSd(bySeed.map((one) => one[at][1]))
        }),
      ]
    }),
  )
}

function stepsTable(records: readonly SeedRecord[]): string {
  return table(
    ['arm', ...LEVELS.map((level) => `${100 * level} %`)],
    CURVES.map((curve) => [
      curve.name,
      ...LEVELS.map((level) => {
        const reached = curveOf(records, curve, 'unseen')
          .map((one) => stepsToReach(one, level))
          .filter((one) => one !== null)
        return reached.length === 0 ? 'never' : `${mean(reached).toFixed(1)} (${reached.length} of ${records.length})`
      }),
    ]),
  )
}

/** Where policy RL starts from in two arms; in the success tables they are the beginnings of curves. */
const STARTS = ['WM SFT', 'mismatched'].map((arm) => ({ arm, evaluated: arm }))

function worldModelTable(records: readonly SeedRecord[]): string {
  const kinds = [...new Set(records.flatMap((one) => Object.keys(one.arms[0].worldModel.unseen?.byKind ?? {})))]
  const rows = [...ARMS, ...STARTS].map(({ arm, evaluated }) => {
    const own = records.map((record) => record.arms.find((one) => one.arm === evaluated)!)
    return [
      arm,
      withSd(own.map((one) => one.worldModel.unseen.exact)),
      ...kinds.map((kind) => percent(mean(own.map((one) => one.worldModel.unseen.byKind[kind]?.exact ?? 0)))),
      percent(mean(own.map((one) => one.policy.unseen.invalidShare))),
      percent(mean(own.map((one) => one.policy.unseen.grounding ?? 0))),
    ]
  })
  const baselines = Object.keys(records[0].baselines)
    .filter((name) => name.startsWith('unseen: '))
    .map((name) => ({ name, exact: mean(records.map((record) => record.baselines[name])) }))
  const best = baselines.reduce((a, b) => (b.exact > a.exact ? b : a))
  rows.push([`baseline: ${best.name.slice('unseen: '.length)}`, percent(best.exact), ...kinds.map(() => ''), '', ''])
  return table(['arm', 'next state exact, %', ...kinds, 'invalid actions, %', 'grounded takes, %'], rows)
}

function costTable(records: readonly SeedRecord[]): string {
  const thousands = (tokens: number) => `${Math.round(tokens / 1000)} k`
  return table(
    ['arm', 'tokens sampled', 'tokens trained', 'seconds'],
    ARMS.filter(({ paysFor }) => paysFor.length > 0).map(({ arm, paysFor, policySteps }) => {
      // The one long run of policy RL stands for two arms.
      const share = arm === 'policy RL' ? policySteps / EQUAL_COMPUTE_STEPS : 1
      const { sampled, trained, seconds } = costOf(records, paysFor, share)
      return [arm, thousands(sampled), thousands(trained), seconds.toFixed(0)]
    }),
  )
}
