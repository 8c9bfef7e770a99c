import { configurationSection, type Inline, plural, type Section } from '../../reports/index.ts'
import type { RegisteredStudy } from '../registered.ts'
import type { StudyResults } from '../results.ts'
import { variesText } from './ablations.ts'
import { paragraph } from './words.ts'

/** Settings that say what was done; all others stand in the table. */
const TOLD: readonly [path: string, words: (value: string) => string][] = [
  ['collect.tasks', (n) => `up to ${n} tasks`],
  ['collect.rollouts', (n) => `${n} attempts at each`],
  ['collect.temperature', (t) => `at temperature ${t}`],
  ['filter.rule', (rule) => `the filter's rule is “${rule}”`],
  ['filter.draws', (n) => `with ${n} predictions a transition`],
  ['reward.kind', (kind) => `the reward of a prediction is by ${kind}`],
  ['worldModel.groupSize', (n) => `world-model RL draws groups of ${n}`],
  ['worldModel.batch', (n) => `for ${n} prompts a step`],
  ['worldModel.learningRate', (rate) => `at a learning rate of ${rate}`],
  ['worldModel.kl.coefficient', (beta) => `with a KL coefficient of ${beta}`],
  ['policy.steps', (n) => `policy RL takes ${n} steps`],
  ['policy.groupSize', (n) => `in groups of ${n}`],
  ['policy.learningRate', (rate) => `at a learning rate of ${rate}`],
  ['evaluate.runs', (n) => `evaluation plays ${n} runs`],
  ['evaluate.temperature', (t) => `at temperature ${t}`],
]

/** What was done, as a paragraph that can be quoted; every setting with its source; every arm with its stages. */
export function methodsSection(results: StudyResults): Section {
  const { study, records } = results
  const { model, environment } = records[0]
  const told = TOLD.flatMap(([path, words]) => {
    const field = study.settings.find((one) => one.path === path)
    return field ? [`${words(String(field.value))} (${field.source})`] : []
  })
  const text = [
    `${plural(study.arms.length, 'arm')} were trained from ${model.name} (${model.parameters.toLocaleString('en')} parameters) on ${environment} with ${plural(study.seeds.length, 'seed')} (${study.seeds.join(', ')}).`,
    'Arms of one seed share what they begin with: collection, filter, and equal first stages, which were computed once; tasks and draws of one seed are the same for all arms.',
    `The model plays ${told.join(', ')}; in brackets whose choice each is: the paper’s, this library’s (ours) or the study’s (user).`,
    `Evaluated by: ${study.evaluate.join('; ')}.`,
  ].join(' ')
  const { blocks } = configurationSection({ config: study.settings })
  return {
    id: 'methods',
    title: 'Methods',
    blocks: [
      paragraph(text),
      { block: 'list', items: study.arms.map((arm) => armText(study, results, arm)) },
      ...blocks,
    ],
  }
}

function armText(study: RegisteredStudy, results: StudyResults, arm: RegisteredStudy['arms'][number]): Inline[] {
  const stages = arm.stages.map(({ text }) => text).join(' → ') || 'no training'
  const settings = Object.keys(study.worlds[arm.world] ?? {}).length > 0 ? ` (${variesText(results, arm)})` : ''
  const seeds = arm.seeds.length < study.seeds.length ? `, ${plural(arm.seeds.length, 'seed')}` : ''
  return [{ strong: arm.arm }, `: ${stages}${settings}${seeds}`]
}
