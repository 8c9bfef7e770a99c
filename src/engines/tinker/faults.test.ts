import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { AdamParams, Datum, Trainer } from '../engine.ts'
import { sampling } from '../testing/contract-sampling.ts'
import { Connection } from './connection.ts'
import { resultOf } from './future.ts'
import { parseTinkerSettings } from './settings.ts'
import { writeBase } from './testing/base.ts'
import { type FakeOptions, FakeTinker } from './testing/fake-server.ts'
import { HURRY, openFake } from './testing/open.ts'
import { passSchema } from './wire.ts'

const folder = mkdtempSync(join(tmpdir(), 'tinker-'))
const base = await writeBase(folder)
afterAll(() => rmSync(folder, { recursive: true }))

const adam: AdamParams = { learningRate: 1e-2, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 0 }
const datum: Datum = { tokens: [1, 2, 3, 4, 5], weights: [0, 1, 1, 1, 1] }
const other: Datum = { tokens: [7, 8, 9], weights: [0, 1, 1] }

const fakes: FakeTinker[] = []
const trainers: Trainer[] = []
afterEach(async () => {
  for (const trainer of trainers.splice(0)) await trainer.close()
  for (const fake of fakes.splice(0)) await fake.close()
  vi.unstubAllEnvs()
})

async function start(
  options: Partial<FakeOptions> = {},
  settings: Parameters<typeof openFake>[2] = {},
  pace = HURRY,
): Promise<{ fake: FakeTinker; trainer: Trainer }> {
  const fake = await FakeTinker.start({ base, reduction: 'sum', holdMs: 20, ...options })
  fakes.push(fake)
  const trainer = (await openFake(fake, base, settings, pace)).trainer()
  trainers.push(trainer)
  return { fake, trainer }
}

/** One step, the optimiser sent right behind the pass. */
async function step(trainer: Trainer, data = [datum]): Promise<number> {
  const pass = trainer.forwardBackward(data, { kind: 'cross_entropy' })
  const [{ gradientNorm }] = await Promise.all([trainer.optimStep(adam), pass])
  return gradientNorm
}

const healthy = await (async () => {
  const { fake, trainer } = await start()
  const norms = [await step(trainer), await step(trainer)]
  await trainer.close()
  await fake.close()
  trainers.length = 0
  fakes.length = 0
  return norms
})()

describe('a step, whatever happens to its requests', () => {
  it('sends the optimiser behind the pass before that has a result, numbered in order', async () => {
    const { fake, trainer } = await start()
    fake.faults.add({ path: 'retrieve_future', times: 5, reply: { status: 408, body: { queue_state: 'active' } } })
    await step(trainer)
    const paths = fake.requests.map(({ path }) => path)
    const pass = paths.indexOf('forward_backward')
    expect(paths.indexOf('optim_step')).toBeLessThan(paths.lastIndexOf('retrieve_future'))
    expect(paths.indexOf('optim_step') - pass).toBeLessThanOrEqual(2)
    expect(fake.requests.filter(({ body }) => body.seq_id).map(({ body }) => body.seq_id)).toEqual([1, 2])
  })

  it.each([
    ['a reply lost on its way is asked for again, and the pass done once', 'forward_backward', 'after', 'drop'],
    ['a reply of the optimiser lost on its way: one step', 'optim_step', 'after', 'drop'],
    ['a dropped connection', 'forward_backward', 'before', 'drop'],
    ['a dropped connection while waiting', 'retrieve_future', 'before', 'drop'],
    ['408 at submission', 'forward_backward', 'before', { status: 408 }],
    ['429 with a wish', 'optim_step', 'before', { status: 429, headers: { 'retry-after-ms': '20' } }],
    ['500 at submission', 'forward_backward', 'before', { status: 500, body: { detail: 'oops' } }],
    ['503 with the reply lost', 'optim_step', 'after', { status: 503 }],
    ['a result that is pending by 408', 'retrieve_future', 'before', { status: 408, body: { type: 'try_again' } }],
    ['try_again', 'retrieve_future', 'before', { status: 200, body: { type: 'try_again', queue_state: 'active' } }],
    ['complete_metadata', 'retrieve_future', 'before', { status: 200, body: { status: 'complete_metadata' } }],
    ['a result that is lost (410)', 'retrieve_future', 'before', { status: 410 }],
    ['429 while waiting', 'retrieve_future', 'before', { status: 429 }],
    ['502 while waiting', 'retrieve_future', 'before', { status: 502, body: { error: 'bad gateway' } }],
    ['a bare 400 of a proxy', 'retrieve_future', 'before', { status: 400 }],
    ['an empty account for a while', 'retrieve_future', 'before', { status: 402 }],
  ] as const)('%s', async (_, path, when, reply) => {
    const { fake, trainer } = await start()
    fake.faults.add({ path, when, reply, times: 2 })
    expect([await step(trainer), await step(trainer)]).toEqual(healthy)
    expect(fake.service.work).toBe(4)
  })

  it('asks for a large result again, as a whole', async () => {
    const { fake, trainer } = await start()
    fake.faults.add({ path: 'retrieve_future', reply: { status: 200, body: { status: 'complete_metadata' } } })
    await step(trainer)
    const asked = fake.requests.filter(({ path }) => path === 'retrieve_future')
    expect(asked.some(({ body }) => body.allow_metadata_only === false)).toBe(true)
  })

  it('uses one key for all tries of a request', async () => {
    const { fake, trainer } = await start()
    fake.faults.add({ path: 'optim_step', reply: { status: 503 }, times: 2 })
    await step(trainer)
    const keys = fake.requests
      .filter(({ path }) => path === 'optim_step')
      .map(({ headers }) => headers['x-idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
  })

  it('goes on where the server was restarted with its models and without its results', async () => {
    const { fake, trainer } = await start()
    const steps = [await step(trainer)]
    const restarted = fake.restart(150)
    steps.push(await step(trainer))
    await restarted
    expect(steps).toEqual(healthy)
    expect(fake.service.work).toBe(4)
  })

  it('sends data in parts that the server takes', async () => {
    const { fake, trainer } = await start({ flags: { fwdbwd_max_chunk_len: 2 } })
    const data = [datum, other, datum, other, datum]
    const { logprobs, tokens } = await trainer.forwardBackward(data, { kind: 'cross_entropy' })
    expect(fake.count('forward_backward')).toBe(3)
    expect(tokens).toEqual({ trained: 16, total: 21 })
    expect(logprobs[2]).toEqual(logprobs[0])
  })
})

describe('what ends a step in one clear line', () => {
  const oneLine = (pattern: RegExp) => expect.objectContaining({ message: expect.stringMatching(pattern) })

  it('a failed result, and then nothing is trained on what it left', async () => {
    const { fake, trainer } = await start()
    fake.faults.add({
      path: 'retrieve_future',
      reply: { status: 200, body: { error: 'out of memory', category: 'server' } },
    })
    await expect(trainer.forwardBackward([datum], { kind: 'cross_entropy' })).rejects.toEqual(
      oneLine(/^tiny at http:\S+ failed at forward_backward 1 \(server\): out of memory: [^\n]+$/),
    )
    await expect(trainer.optimStep(adam)).rejects.toThrow(/cannot be taken back \(.*out of memory.*\): resume/)
    expect(fake.count('optim_step')).toBe(0)
    // Another state mends it.
    await trainer.loadWeights(base)
    expect(await step(trainer)).toBe(healthy[0])
  })

  it('a failed result as SkyRL tells it, after a few tries', async () => {
    const { fake, trainer } = await start()
    fake.faults.add({ path: 'retrieve_future', times: 4, reply: { status: 400, body: { detail: 'too long a text' } } })
    await expect(trainer.forwardBackward([datum], { kind: 'cross_entropy' })).rejects.toThrow(/"too long a text"/)
  })

  it('a number that another request had', async () => {
    const { fake, trainer } = await start()
    fake.faults.add({ path: 'forward_backward', times: 20, reply: { status: 409, body: { detail: 'number reused' } } })
    await expect(trainer.forwardBackward([datum], { kind: 'cross_entropy' })).rejects.toThrow(
      /in the place of forward_backward 1 \(409, "number reused"\), after 11 tries: resume/,
    )
  })

  it('a result that does not come', async () => {
    const fake = await FakeTinker.start({ base, reduction: 'sum' })
    fakes.push(fake)
    const settings = { url: fake.url, server: 'tinker', model: 'tiny', folder: base, lora: { rank: 4 } } as const
    const config = parseTinkerSettings({ ...settings, resultSeconds: 0.3 })
    const body = { type: 'try_again', queue_state: 'paused_capacity' }
    fake.faults.add({ path: 'retrieve_future', times: 1e6, reply: { status: 200, body } })
    const connection = new Connection(config, null, HURRY)
    const pending = { what: 'forward_backward 1', requestId: 'r', resubmit: null }
    await expect(resultOf(connection, pending, passSchema)).rejects.toThrow(
      /was not done with forward_backward 1 after 0.3 s \(its queue: paused_capacity\): raise resultSeconds/,
    )
  })

  it('a server that takes requests and says nothing', async () => {
    const { fake, trainer } = await start({ reduction: 'mean' }, { requestSeconds: 2 })
    fake.faults.add({ path: 'forward_backward', times: 20, reply: 'hang' })
    await expect(trainer.forwardBackward([datum], { kind: 'cross_entropy' })).rejects.toThrow(
      /was silent for 2 s at forward_backward 1: whether it did forward_backward 1 is not known/,
    )
    expect(fake.count('forward_backward')).toBe(1)
  })

  it.each([408, 500, 502, 504])('status %i at a server that would do it twice: one step', async (status) => {
    const { fake, trainer } = await start({ reduction: 'mean' })
    await trainer.forwardBackward([datum], { kind: 'cross_entropy' })
    const work = fake.service.work
    fake.faults.add({ path: 'optim_step', when: 'after', reply: { status } })
    await expect(trainer.optimStep(adam)).rejects.toThrow(`(${status})`)
    expect(fake.count('optim_step')).toBe(1)
    await vi.waitUntil(() => fake.service.work === work + 1)
    await expect(trainer.optimStep(adam)).rejects.toThrow(/cannot be taken back/)
  })

  it.each(['forward_backward', 'retrieve_future', 'asample'])(
    'a wait of hours that is asked for at %s',
    async (path) => {
      const { fake, trainer } = await start()
      const reply = { status: path === 'asample' ? 429 : 503, headers: { 'retry-after': '7200' } }
      fake.faults.add({ path, reply })
      const before = fake.count(path)
      const asked =
        path === 'asample'
          ? trainer.sampler().sample([[1]], sampling)
          : trainer.forwardBackward([datum], { kind: 'cross_entropy' })
      await expect(asked).rejects.toThrow(`(${reply.status}), and asks to wait 7200 s`)
      expect(fake.count(path) - before).toBe(1)
    },
  )

  it('a server that is gone', async () => {
    const { fake, trainer } = await start({}, { unreachableSeconds: 0.2 })
    fake.faults.add({ path: 'retrieve_future', times: 1e6, reply: { status: 200, body: { type: 'try_again' } } })
    const pending = trainer.forwardBackward([datum], { kind: 'cross_entropy' })
    const failing = expect(pending).rejects.toThrow(/cannot be reached \(ECONNREFUSED\), after \d+ tries: start it/)
    await vi.waitUntil(() => fake.count('forward_backward') > 0)
    await fake.close()
    await failing
  })

  it('a restart that lost the models', async () => {
    const { fake, trainer } = await start()
    await fake.restart(10, 'everything')
    await expect(step(trainer)).rejects.toThrow(/404.*was it restarted\? resume from the last checkpoint/)
  })

  it('a reply that is none', async () => {
    const { fake, trainer } = await start()
    fake.faults.add({ path: 'optim_step', reply: { status: 200, body: { request_id: [] } } })
    await expect(step(trainer)).rejects.toThrow(/answered optim_step 2 with what is no answer: request_id/)
  })

  it('protobuf that is none', async () => {
    const { fake, trainer } = await start({}, { codec: 'protobuf' })
    const headers = { 'content-type': 'application/x-protobuf' }
    fake.faults.add({ path: 'retrieve_future', reply: { status: 200, body: {}, headers } })
    await expect(trainer.forwardBackward([datum], { kind: 'cross_entropy' })).rejects.toThrow(
      /answered the result of forward_backward 1 with protobuf that [^\n]+: use a server that speaks the Tinker protocol/,
    )
  })

  it('asks how passes are taken where it is not told, and does as it hears', async () => {
    for (const wantsProtobuf of [true, false]) {
      const { fake, trainer } = await start({ wantsProtobuf }, { codec: undefined })
      expect(await step(trainer)).toBe(healthy[0])
      const types = fake.requests
        .filter(({ path }) => path === 'forward_backward')
        .map(({ headers }) => headers['content-type'])
      const told = wantsProtobuf ? 'application/x-protobuf' : 'application/json'
      expect(types).toEqual(['application/json', told])
      expect(fake.service.work).toBe(2)
    }
  })

  it('a codec that the server does not take', async () => {
    for (const [codec, status, said] of [
      ['json', 415, /does not take forward_backward 1 as json \(415, "no"\): set codec to 'protobuf'/],
      ['protobuf', 415, /does not take forward_backward 1 as protobuf \(415, "no"\): set codec to 'json'/],
      ['protobuf', 422, /refuses forward_backward 1 \(422, "no"\): check [^\n]+, or set codec to 'json'/],
    ] as const) {
      const { fake, trainer } = await start({}, { codec })
      fake.faults.add({ path: 'forward_backward', reply: { status, body: { detail: 'no' } } })
      await expect(trainer.forwardBackward([datum], { kind: 'cross_entropy' })).rejects.toThrow(said)
    }
  })

  it('a loss that is not finite there', async () => {
    const { fake, trainer } = await start()
    const body = { loss_fn_outputs: [{ logprobs: { data: [-1, null, -1, -1] } }] }
    fake.faults.add({ path: 'retrieve_future', reply: { status: 200, body } })
    await expect(trainer.forwardBackward([datum], { kind: 'cross_entropy' })).rejects.toThrow(/token 2 of datum 0/)
    await expect(trainer.optimStep(adam)).rejects.toThrow(/cannot be taken back/)
  })
})

describe('a session', () => {
  it('lives as long as its heart beats', async () => {
    const { trainer } = await start({ sessionMs: 400 }, {}, { ...HURRY, heartbeat: 0.1 })
    await new Promise((resolve) => setTimeout(resolve, 900))
    await step(trainer)
  })

  it('that the server ended for a late heartbeat says so', async () => {
    const { fake, trainer } = await start({ sessionMs: 500 }, {}, { ...HURRY, heartbeat: 0.2 })
    fake.faults.add({ path: 'session_heartbeat', times: 5, reply: 'hang' })
    await new Promise((resolve) => setTimeout(resolve, 2500))
    await expect(step(trainer)).rejects.toThrow(/has ended this session \(404; it took its last heartbeat \d+ s ago\)/)
  })
})

describe('keys', () => {
  it('come from the environment, and are in no message', async () => {
    vi.stubEnv('TINKER_API_KEY', 'tml-secret')
    const { fake, trainer } = await start({ key: 'tml-secret' })
    await step(trainer)
    expect(fake.requests.every(({ headers }) => headers['x-api-key'] === 'tml-secret')).toBe(true)
    const body = { detail: 'the key tml-secret may not' }
    fake.faults.add({ path: 'optim_step', reply: { status: 422, body } })
    await expect(trainer.optimStep(adam)).rejects.toThrow('the key [key] may not')
    vi.stubEnv('TINKER_API_KEY', 'tml-wrong')
    await expect(openFake(fake, base)).rejects.toThrow(
      /^(?!.*tml-wrong).*does not accept the key in TINKER_API_KEY \(401\)/,
    )
  })

  it('are exchanged for a token where the server wants that', async () => {
    vi.stubEnv('TINKER_API_KEY', 'tml-secret')
    const { fake, trainer } = await start({ key: 'tml-secret', token: 'jwt-1' })
    fake.faults.add({ path: 'optim_step', reply: { status: 401 } })
    expect(await step(trainer)).toBe(healthy[0])
    expect(fake.count('auth/token')).toBe(2)
  })

  it('do not go to where archives are kept', async () => {
    vi.stubEnv('TINKER_API_KEY', 'tml-secret')
    const { fake, trainer } = await start({ key: 'tml-secret' })
    fake.faults.add({ path: 'download', reply: { status: 503 } })
    await trainer.save(join(folder, 'with-key'))
    expect(fake.downloads).toHaveLength(2)
    expect(fake.downloads.every(({ headers }) => !('x-api-key' in headers))).toBe(true)
  })
})

describe('sampling', () => {
  it('backs off with the same number when too many are under way', async () => {
    const { fake, trainer } = await start()
    fake.faults.add({ path: 'asample', times: 3, reply: { status: 429 } })
    const samples = await trainer.sampler().sample([[1, 2], [3], [4, 5]], { ...sampling, n: 2 })
    expect(samples.map((row) => row.length)).toEqual([2, 2, 2])
    const asked = fake.requests.filter(({ path }) => path === 'asample')
    expect(asked).toHaveLength(6)
    expect(new Set(asked.map(({ body }) => body.seq_id)).size).toBe(3)
    expect(asked.every(({ headers }) => headers['x-tinker-sampling-backpressure'] === '1')).toBe(true)
  })

  it('takes one snapshot of the weights a step', async () => {
    const { fake, trainer } = await start()
    const sampler = trainer.sampler()
    await Promise.all([sampler.logprobs([[1, 2, 3]]), sampler.sample([[1]], sampling)])
    await sampler.logprobs([[1, 2, 3]])
    expect(fake.count('save_weights_for_sampler')).toBe(1)
    await step(trainer)
    await sampler.logprobs([[1, 2, 3]])
    expect(fake.count('save_weights_for_sampler')).toBe(2)
  })

  it.each(['sum', 'mean'] as const)(
    'leaves no checkpoint of a frozen copy, at a server that takes the %s',
    async (reduction) => {
      const { fake, trainer } = await start({ reduction })
      await step(trainer)
      const frozen = await trainer.freeze()
      await frozen.logprobs([[1, 2, 3]])
      await frozen.close()
      expect(fake.service.checkpoints.filter((path) => !path.includes('ephemeral'))).toEqual([])
      expect(fake.service.openModels).toBe(1)
    },
  )

  it('gives the place of a copy back that could not be filled', async () => {
    const { fake, trainer } = await start({ reduction: 'mean' })
    fake.faults.add({ path: 'load_weights', reply: { status: 422, body: { detail: 'no' } } })
    await expect(trainer.freeze()).rejects.toThrow('refuses load_weights 1')
    expect(fake.service.openModels).toBe(1)
  })

  it('refuses samples that are longer than they may be', async () => {
    const { fake, trainer } = await start()
    const sequences = [{ stop_reason: 'length', tokens: Array(100).fill(5), logprobs: Array(100).fill(-1) }]
    const sampler = trainer.sampler()
    await sampler.logprobs([[1, 2, 3]])
    fake.faults.add({ path: 'retrieve_future', reply: { status: 200, body: { sequences } } })
    await expect(sampler.sample([[1]], { ...sampling, n: 1, maxTokens: 8 })).rejects.toThrow('100 tokens for at most 8')
  })

  it('refuses what servers do not tell', async () => {
    const { trainer } = await start()
    const sampler = trainer.sampler()
    await expect(sampler.logprobs([[1, 2]], 0.7)).rejects.toThrow(/at temperature 1 only, not 0.7/)
    await expect(sampler.sample([[1]], { ...sampling, alternatives: 2 })).rejects.toThrow(/alternatives/)
    const data = { ...datum, advantages: datum.weights, oldLogprobs: datum.weights }
    const ppo = { kind: 'ppo', clipLow: 0.2, clipHigh: 0.2 } as const
    await expect(trainer.forwardBackward([data], { ...ppo, entropy: 0.01 })).rejects.toThrow(/entropy bonus/)
    await expect(trainer.forwardBackward([data], { ...ppo, temperature: 0.8 })).rejects.toThrow(
      /at temperature 1, not 0.8/,
    )
    await expect(trainer.loadWeights(folder)).rejects.toThrow(/takes no weights: start from/)
    const averaging = await start({ reduction: 'mean' })
    await expect(averaging.trainer.optimStep({ ...adam, clipNorm: 1 })).rejects.toThrow(/does not clip gradients/)
  })
})
