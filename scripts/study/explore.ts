/**
 * `npm run study:explore -- --seed 1000 [--arms policy,rwml] [--steps 40]`: what the study's settings are chosen on. Arms as in
 * `mini-study.ts` and variants of them, evaluated on training layouts only: households of the training family that collection
 * does not play. Goes on where it was stopped; no held-out layout is ever opened.
 */
import { parseArgs } from 'node:util'
import { Progress } from '../../src/cli/progress.ts'
import { type Table, textTable } from '../../src/cli/table.ts'
import { hash32, mean, UserError } from '../../src/core/index.ts'
import { alfworldEnvironment } from '../../src/environments/index.ts'
import type { WorldModelResult } from '../../src/evaluation/index.ts'
import { miniPreset, openRun, runMethod } from '../../src/methods/index.ts'
import {
  collectStage,
  evaluateStage,
  filterStage,
  interleavedStage,
  policyStage,
  resolveConfig,
  rewardStage,
  type Stage,
  type WorldModelOptions,
  worldModelSftStage,
  worldModelStage,
} from '../../src/stages/index.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1000' },
    arms: { type: 'string' },
    steps: { type: 'string', default: '40' },
    threads: { type: 'string', default: '1' },
  },
})
const seed = Number(values.seed)
const steps = Number(values.steps)
const policy = { settings: { steps }, curve: [5, 10, 20, 30].filter((at) => at < steps) }

/** Two stages: world-model RL of some sort, then policy RL. */
const sequence = (name: string, options: WorldModelOptions): Stage[] => [
  worldModelStage({ name, arm: name, ...options }),
  policyStage({ ...policy, name: `${name}-policy`, from: name, arm: `${name} → policy RL` }),
]
const inTurns = (name: string, options: WorldModelOptions): Stage[] => [
  interleavedStage({ name, arm: name, ...options, policySettings: policy.settings, curve: policy.curve }),
]

const ALL = { unfiltered: true, settings: { maxSteps: 60 } } as const

const VARIANTS: Record<string, () => Stage[]> = {
  policy: () => [policyStage({ ...policy, name: 'policy', arm: 'policy RL' })],
  rwml: () => sequence('rwml', {}),
  unfiltered: () => sequence('unfiltered', ALL),
  strongKl: () =>
    sequence('strong-kl', { ...ALL, settings: { ...ALL.settings, kl: { coefficient: 0.1, estimator: 'k3' } } }),
  gentle: () => sequence('gentle', { settings: { learningRate: 5e-5 } }),
  mismatched: () => sequence('mismatched', { teaches: 'mismatched targets' }),
  interleaved: () => inTurns('interleaved', {}),
  interleavedUnfiltered: () => inTurns('interleaved-unfiltered', ALL),
  interleavedMismatched: () => inTurns('interleaved-mismatched', { teaches: 'mismatched targets' }),
  sft: () => [
    worldModelSftStage({ name: 'sft', arm: 'WM SFT' }),
    policyStage({ ...policy, name: 'sft-policy', from: 'sft', arm: 'WM SFT → policy RL' }),
  ],
}

const names = values.arms?.split(',') ?? Object.keys(VARIANTS)
const unknown = names.find((name) => !Object.hasOwn(VARIANTS, name))
if (unknown !== undefined) {
  throw new UserError(`no variant is called "${unknown}"; there are ${Object.keys(VARIANTS).join(', ')}`, 2)
}
const development = alfworldEnvironment({
  generate: { size: 'small', counts: { train: 250 }, seed: hash32('development', seed) },
})
const method = {
  name: 'explore',
  stages: [
    collectStage,
    rewardStage,
    filterStage,
    ...names.flatMap((name) => VARIANTS[name]()),
    evaluateStage({ environment: development, splits: ['train'], settings: { runs: 2, tasks: 250 } }),
  ],
}
const run = await openRun({
  out: `runs/explore/${seed}-${names.join('-')}`,
  resolved: resolveConfig(miniPreset, {
    seed,
    'model.threads': Number(values.threads),
    'reward.embedder': 'lexical',
  }),
  method,
  command: 'npm run study:explore --',
  resume: true,
  progress: new Progress(),
  signal: new AbortController().signal,
  warn: (message) => console.error(message),
})
const { evaluation } = await runMethod(method, run.context)
await run.close('finished')

const percent = (value: number | null | undefined) => (value == null ? '' : (100 * value).toFixed(1))
const kinds = Object.keys(evaluation?.arms[0].worldModel[0].byKind ?? {}).sort()
const byKind = ({ exact, byKind }: WorldModelResult) => [
  percent(exact),
  ...kinds.map((kind) => percent(byKind[kind]?.exact)),
]
const table: Table = {
  columns: ['arm', 'success', 'invalid', 'grounded', 'next state exact', ...kinds].map((header, i) => ({
    header,
    align: i === 0 ? 'left' : 'right',
  })),
  rows: [
    ...(evaluation?.worldModelBaselines ?? []).map((one) => [one.predictor, '', '', '', ...byKind(one)]),
    ...(evaluation?.arms ?? []).map(({ arm, policy: [played], worldModel: [predicted] }) => [
      arm,
      percent(mean(played.successByRun)),
      percent(played.invalidShare),
      percent(played.grounding),
      ...byKind(predicted),
    ]),
  ],
}
console.log(textTable(table))
