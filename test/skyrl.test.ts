/** Against a real Tinker server, SkyRL with its JAX backend: see test/servers/skyrl.sh. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Datum,
  LORA_CHOICES,
  type Loss,
  openLocalEngine,
  openTinkerEngine,
  type Trainer,
  tinkerEngine,
} from '../src/engines/index.ts'
import { engineContract } from '../src/engines/testing/contract.ts'
import { unclipped } from '../src/engines/tinker/testing/unclipped.ts'
import { METHODS, miniPreset, openRun, resolveConfig, runMethod } from '../src/index.ts'
import { readSafetensors } from '../src/store/index.ts'

const { RWML_SKYRL_URL: url, RWML_SKYRL_MODEL: model = '', RWML_SKYRL_MINUTES: minutes = 'Infinity' } = process.env
const codec = process.env.RWML_SKYRL_CODEC === 'protobuf' ? 'protobuf' : 'json'
const end = performance.now() + Number(minutes) * 60_000
const lora = { rank: 16, alpha: 32, targets: LORA_CHOICES['all-linear'] }

const open = async () => {
  const settings = { url, codec, server: 'skyrl-jax', model, folder: model, lora: { rank: lora.rank } } as const
  return unclipped((await openTinkerEngine(settings)).trainer())
}

const root = mkdtempSync(join(tmpdir(), 'rwml-skyrl-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe.skipIf(!url)('SkyRL', () => {
  beforeEach(({ skip }) => skip(performance.now() > end, 'the time for the live server is over'))

  describe('one step beside the local engine', () => {
    const rows = [
      [5, 9, 300, 41, 7, 7, 1000, 23],
      [8, 2, 77, 500, 501, 502],
      [1, 3, 3, 250, 12, 900, 901, 30, 31, 32],
    ]
    const weights = (tokens: number[]) => tokens.map((_, t) => (t < 2 ? 0 : 1 / (1 + (t % 3))))
    const labels = rows.map((tokens): Datum => ({ tokens, weights: weights(tokens) }))

    const losses: [string, Loss, (logprobs: number[][]) => Datum[]][] = [
      ['cross-entropy', { kind: 'cross_entropy' }, () => labels],
      [
        "PPO's",
        { kind: 'ppo', clipLow: 0.2, clipHigh: 0.2 },
        (logprobs) =>
          labels.map((datum, i) => ({
            ...datum,
            advantages: datum.tokens.map((_, t) => ((t + i) % 4) - 1.5),
            // Some ratios lie beyond the clip range.
            oldLogprobs: logprobs[i].map((value, t) => value - 0.1 * ((t % 7) - 3)),
          })),
      ],
    ]

    it.each(losses)('%s loss and gradient', async (name, loss, dataOf) => {
      const there = await open()
      const here = await openLocalEngine(model, { threads: 1, lora })
      const folder = (what: string) => join(root, `${name}-${what}`)
      try {
        await there.save(folder('start'))
        await here.trainer().loadWeights(folder('start'))
        const data = dataOf(await here.trainer().sampler().logprobs(rows))
        // With an epsilon far above the gradient, the step is the gradient, scaled.
        const adam = { learningRate: 1e3, beta1: 0.9, beta2: 0.95, epsilon: 1e4, weightDecay: 0, clipNorm: 0 }
        const step = async (trainer: Trainer, to: string) => {
          const { loss: value } = await trainer.forwardBackward(data, loss)
          await trainer.optimStep(adam)
          await trainer.save(to)
          return value
        }
        const values = [await step(there, folder('there')), await step(here.trainer(), folder('here'))]
        expect(Math.abs(values[0] - values[1])).toBeLessThan(1e-3)
        const start = adapterIn(folder('start'))
        const moved = [folder('there'), folder('here')].map((path) => difference(adapterIn(path), start))
        const size = Math.hypot(...moved[1])
        console.log(
          `${name}: loss ${values.join(' and ')}, cosine of the steps ${cosine(moved[0], moved[1])}, ratio of their lengths ${Math.hypot(...moved[0]) / size}; ${dtypes(folder('there'))} there, ${dtypes(folder('here'))} here`,
        )
        expect(size).toBeGreaterThan(1e-4)
        expect(cosine(moved[0], moved[1])).toBeGreaterThan(0.99)
        expect(Math.hypot(...moved[0]) / size).toBeCloseTo(1, 1)
      } finally {
        await here.close()
        await there.close()
      }
    })
  })

  // A model of random weights never does anything that counts: random actions collect, and all else is its own.
  it('goes through a whole run of RWML', async () => {
    const rwml = METHODS.find(({ name }) => name === 'random-data')!
    const settings = {
      'model.path': model,
      'model.lora.rank': 16,
      'optimiser.clipNorm': 0,
      'environment.tasks.train': 4,
      'environment.tasks.seen': 1,
      'environment.tasks.unseen': 1,
      'collect.tasks': 4,
      'collect.rollouts': 1,
      'collect.maxSteps': 6,
      'collect.maxTokens': 16,
      'filter.rule': 'none',
      // It has nothing right either: how near it comes is what differs.
      'reward.mode': 'continuous',
      'reward.embedder': 'lexical',
      'worldModel.batch': 2,
      'worldModel.groupSize': 2,
      'worldModel.maxTokens': 16,
      'worldModel.maxSteps': 2,
      'policy.steps': 1,
      'policy.tasks': 1,
      'policy.groupSize': 2,
      'policy.maxSteps': 2,
      'policy.maxTokens': 16,
      'evaluate.runs': 1,
      'evaluate.maxSteps': 1,
      'evaluate.transitions': 1,
    }
    const { context, close } = await openRun({
      out: join(root, 'run'),
      resolved: resolveConfig(miniPreset, settings),
      method: rwml,
      engine: tinkerEngine({ url, codec, server: 'skyrl-jax', model }),
      command: 'test',
      resume: false,
      progress: { start() {}, update() {}, finish() {} },
      signal: new AbortController().signal,
      warn: () => {},
    })
    const artifacts = await runMethod(rwml, context).finally(() => close('finished'))
    const lines = readFileSync(join(root, 'run/metrics.jsonl'), 'utf8').trim().split('\n')
    const steps = lines.map((line) => JSON.parse(line)).filter(({ stage }) => stage === 'world-model-rl')
    expect(steps).toHaveLength(2)
    for (const { loss, logprobDifference } of steps) {
      expect(Number.isFinite(loss)).toBe(true)
      expect(logprobDifference).toBeLessThan(0.05)
    }
    expect(artifacts.evaluation?.arms.length).toBeGreaterThan(1)
  })

  engineContract('SkyRL', open, { tempered: false })
})

type Adapter = Map<string, Float32Array>

function adapterIn(folder: string): Adapter {
  const { tensors } = readSafetensors(join(folder, 'adapter_model.safetensors'))
  return new Map([...tensors].map(([name, { data }]) => [name, data]))
}

function difference(after: Adapter, before: Adapter): number[] {
  const names = [...before.keys()].sort()
  expect([...after.keys()].sort()).toEqual(names)
  return names.flatMap((name) => Array.from(after.get(name)!, (value, i) => value - before.get(name)![i]))
}

function cosine(a: number[], b: number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0) / (Math.hypot(...a) * Math.hypot(...b))
}

/** How an adapter is stored. */
function dtypes(folder: string): string {
  const bytes = readFileSync(join(folder, 'adapter_model.safetensors'))
  const header = bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE(0))).toString()
  return [...new Set([...header.matchAll(/"dtype":"(\w+)"/g)].map(([, type]) => type))].join()
}
