/** Whole runs whose model is trained at a Tinker server: the stand-in that speaks the protocol, with the miniature in it. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLocalEngine, tinkerEngine } from '../engines/index.ts'
import { FakeTinker } from '../engines/tinker/testing/fake-server.ts'
import { HURRY } from '../engines/tinker/testing/open.ts'
import { collectStage, rewardStage, worldModelStage } from '../stages/index.ts'
import { RunFolder } from '../store/index.ts'
import { METHODS } from './method.ts'
import { PACKAGE } from './parts.ts'
import { play } from './testing/tiny-run.ts'

const base = join(PACKAGE, 'models/mini')
let fake: FakeTinker
beforeAll(async () => {
  fake = await FakeTinker.start({ base, reduction: 'sum' })
})
afterAll(() => fake.close())

const engine = (settings: Partial<Parameters<typeof tinkerEngine>[0]> = {}) =>
  tinkerEngine({ url: fake.url, server: 'tinker', model: 'mini', ...settings }, HURRY)
/** Of everything as little as still goes through: the stand-in answers one prompt after the other. */
const adapter = {
  'model.lora.rank': 4,
  'environment.tasks.train': 4,
  'environment.tasks.unseen': 1,
  'collect.tasks': 4,
  'collect.maxSteps': 3,
  'worldModel.batch': 2,
  'worldModel.groupSize': 2,
  'worldModel.maxTokens': 24,
  'evaluate.transitions': 1,
  'evaluate.maxSteps': 1,
}

/** Metrics without what a clock says. */
const timeless = (lines: Record<string, number>[]) =>
  lines.map(({ time: _, waitedSeconds: __, sampledPerSecond: ___, ...rest }) => rest)

describe('a run at a Tinker server', () => {
  it('goes through every stage, and leaves models that this machine loads', async () => {
    const rwml = METHODS.find(({ name }) => name === 'rwml')!
    const more = { ...adapter, 'policy.steps': 1, 'policy.maxSteps': 12 }
    const { out, artifacts, of } = await play('whole', rwml, more, { engine: engine() })
    const info = RunFolder.open(out).readInfo()
    expect(info.engine).toBe(`mini at ${fake.url}`)
    expect(Object.keys(info.begunWith)).not.toContain('number of threads')
    expect(artifacts.arms).toHaveLength(3)
    for (const line of [...of('world-model-rl'), ...of('policy-rl')]) {
      expect(Number.isFinite(line.loss)).toBe(true)
      // What the server sampled is what it trains on.
      expect(line.logprobDifference).toBeLessThan(1e-3)
    }
    const last = await openLocalEngine(artifacts.arms[2].path, { threads: 1 })
    const first = await openLocalEngine(base, { threads: 1 })
    const texts = [[1, 2, 3, 4, 5]]
    expect(await last.trainer().sampler().logprobs(texts)).not.toEqual(await first.trainer().sampler().logprobs(texts))
    await last.close()
    await first.close()
  })

  it.each([0, 1])('resumes after the server was lost, and ends where it would have (maxLag %i)', async (maxLag) => {
    const method = { name: 'short', stages: [collectStage, rewardStage, worldModelStage({ curve: [2] })] }
    const settings = { ...adapter, 'worldModel.maxSteps': 5, 'model.maxLag': maxLag }
    const whole = await play(`whole-${maxLag}`, method, settings, { engine: engine() })
    const lags = whole.of('world-model-rl').map(({ lag }) => lag)
    expect(lags).toEqual(maxLag === 0 ? Array(5).fill(undefined) : [0, 1, 0, 1, 1])

    const name = `stopped-${maxLag}`
    fake.faults.add({
      path: 'optim_step',
      skip: 3,
      times: 1,
      reply: { status: 403, body: { detail: 'no more credit' } },
    })
    await expect(play(name, method, settings, { engine: engine() })).rejects.toThrow(
      /step 4.*no more credit.*world-model-rl-2/s,
    )
    const steps = fake.count('optim_step')
    const resumed = await play(name, method, settings, { engine: engine(), resume: true })
    // From the checkpoint after step 2: three steps, none of them on a state that has had them.
    expect(fake.count('optim_step') - steps).toBe(3)
    expect(timeless(resumed.of('world-model-rl'))).toEqual(timeless(whole.of('world-model-rl')))
  })

  it('goes on at another address of the server, not with another model', async () => {
    const method = { name: 'short', stages: [collectStage] }
    await play('moved', method, adapter, { engine: engine() })
    await expect(
      play('moved', method, adapter, { engine: engine({ model: 'another' }), resume: true }),
    ).rejects.toThrow('was begun with another engine')
    await play('moved', method, adapter, {
      engine: engine({ url: fake.url.replace('127.0.0.1', 'localhost') }),
      resume: true,
    })
  })

  it('never has more samples under way than the server takes', async () => {
    const few = await FakeTinker.start({ base, reduction: 'sum', flags: { sample_max_concurrent_requests: 3 } })
    try {
      const method = { name: 'short', stages: [collectStage] }
      await play('few', method, adapter, { engine: engine({ url: few.url }) })
      expect(few.service.mostSamples).toBe(3)
    } finally {
      await few.close()
    }
  })

  it.each([
    [{}, 'set model.lora.rank'],
    [{ 'model.lora.rank': 4, 'model.lora.targets': 'query-value' }, 'set model.lora.targets'],
    [{ 'model.lora.rank': 4, 'model.lora.alpha': 16 }, 'set model.lora.alpha to 32'],
    [{ ...adapter, 'policy.entropy': 0.01 }, 'no entropy bonus'],
    [{ ...adapter, 'policy.temperature': 0.8 }, 'temperature 1 only, not 0.8'],
  ])('refuses what the protocol has no words for, before anything is sent: %o', async (settings, words) => {
    const before = fake.requests.length
    const method = { name: 'short', stages: [collectStage] }
    await expect(play('refused', method, settings, { engine: engine() })).rejects.toThrow(words)
    expect(fake.requests).toHaveLength(before)
  })

  it('refuses to clip where the server does not', async () => {
    const method = { name: 'short', stages: [collectStage] }
    await expect(play('refused', method, adapter, { engine: engine({ server: 'skyrl-jax' }) })).rejects.toThrow(
      'set optimiser.clipNorm to 0',
    )
  })
})
