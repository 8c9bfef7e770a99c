import { describe, expect, it, vi } from 'vitest'
import { sampling } from '../testing/contract-sampling.ts'
import { Connection } from './connection.ts'
import { resultOf } from './future.ts'
import { parseTinkerSettings } from './settings.ts'
import { FakeTinker } from './testing/fake-server.ts'
import { HURRY } from './testing/open.ts'
import { adam, base, datum, fakes, healthy, other, start, step } from './testing/started.ts'
import { passSchema } from './wire.ts'

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
