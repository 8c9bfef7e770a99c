/** Exploration on training layouts only: households of the training family that collection does not use. */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { Progress } from '../../src/cli/progress.ts'
import { hash32 } from '../../src/core/index.ts'
import { alfworldEnvironment } from '../../src/environments/index.ts'
import { type Method, miniPreset, openRun, runMethod } from '../../src/methods/index.ts'
import * as S from '../../src/stages/index.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1000' },
    out: { type: 'string' },
    arms: { type: 'string' },
    steps: { type: 'string', default: '40' },
    threads: { type: 'string', default: '1' },
  },
})
const seed = Number(values.seed)
const steps = Number(values.steps)
const P = { settings: { steps }, curve: [10, 20, 30].filter((one) => one < steps) }
const wm = (name: string, o: object) => [
  S.worldModelStage({ name: `wm-${name}`, arm: `wm ${name}`, ...o }),
  S.policyStage({ name: `p-${name}`, from: `wm-${name}`, arm: `p ${name}`, ...P }),
]
const kl = (coefficient: number) => ({ kl: { coefficient, estimator: 'k3' as const } })
const sets: Record<string, () => S.Stage[]> = {
  policy: () => [
    S.policyStage({ name: 'p-alone', arm: 'p alone', settings: { steps: steps + 20 }, curve: [10, 20, 30, 40] }),
  ],
  default: () => wm('default', {}),
  unfiltered: () => wm('unfiltered', { unfiltered: true, settings: { maxSteps: 60 } }),
  kl: () => wm('kl', { unfiltered: true, settings: { maxSteps: 60, ...kl(0.1) } }),
  gentle: () => wm('gentle', { unfiltered: true, settings: { maxSteps: 60, learningRate: 5e-5 } }),
  interleaved: () => [
    S.interleavedStage({
      name: 'inter',
      arm: 'inter',
      unfiltered: true,
      settings: { maxSteps: 60 },
      policySettings: { steps },
      curve: P.curve,
    }),
  ],
  interleavedKept: () => [
    S.interleavedStage({ name: 'inter-kept', arm: 'inter-kept', policySettings: { steps }, curve: P.curve }),
  ],
  interleavedMismatched: () => [
    S.interleavedStage({
      name: 'inter-mis',
      arm: 'inter-mis',
      teaches: 'mismatched targets',
      unfiltered: true,
      settings: { maxSteps: 60 },
      policySettings: { steps },
      curve: P.curve,
    }),
  ],
  mismatched: () => wm('mismatched', { teaches: 'mismatched targets', unfiltered: true, settings: { maxSteps: 60 } }),
  sft: () => [
    S.worldModelSftStage({ name: 'sft', arm: 'wm sft' }),
    S.policyStage({ name: 'p-sft', from: 'sft', arm: 'p sft', ...P }),
  ],
}
const dev = alfworldEnvironment({
  generate: { size: 'small', counts: { train: 250 }, seed: hash32('development', seed) },
})
const arms = (values.arms ?? Object.keys(sets).join()).split(',')
const method: Method = {
  name: 'explore',
  stages: [
    S.collectStage,
    S.rewardStage,
    S.filterStage,
    ...arms.flatMap((arm) => sets[arm]()),
    S.evaluateStage({ environment: dev, splits: ['train'], settings: { runs: 2, tasks: 250 } }),
  ],
}
const out = values.out ?? `runs/explore-${seed}`
const run = await openRun({
  out,
  resolved: S.resolveConfig(miniPreset, {
    seed,
    'model.threads': Number(values.threads),
    'reward.embedder': 'lexical',
  }),
  method,
  command: 'explore',
  resume: true,
  progress: new Progress(),
  signal: new AbortController().signal,
  warn: (m) => console.error(m),
})
const { evaluation } = await runMethod(method, run.context)
await run.close('finished')
for (const {
  arm,
  policy: [p],
  worldModel: [w],
} of evaluation!.arms) {
  const f = (x: number | null | undefined) => (x == null ? '   -' : (100 * x).toFixed(1).padStart(5))
  console.log(
    arm.padEnd(28),
    'success',
    f(p.successByRun.reduce((a, b) => a + b, 0) / p.successByRun.length),
    'invalid',
    f(p.invalidShare),
    'grounding',
    f(p.grounding),
    'exact',
    f(w?.exact),
    'inv',
    f(w?.byKind.invalid?.exact),
    Object.entries(w?.byKind ?? {})
      .map(([k, v]) => `${k}:${f(v.exact)}/${v.transitions}`)
      .join(' '),
  )
}
void cpus
