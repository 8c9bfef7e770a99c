import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { sampling } from '../testing/contract-sampling.ts'
import { HURRY, openFake } from './testing/open.ts'
import { adam, base, datum, folder, healthy, start, step } from './testing/started.ts'

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
