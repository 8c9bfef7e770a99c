import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, vi } from 'vitest'
import { CALL_DEADLINE, startWorker, UserError, WorkerClient } from '../../core/index.ts'
import { engineContract } from '../testing/contract.ts'
import { openLocalEngine } from './engine.ts'
import type { Calls } from './protocol.ts'
import { tinyConfig } from './testing/weights.ts'

const source = { config: tinyConfig({ num_key_value_heads: 2 }), seed: 3 }

const models: [string, typeof source][] = [
  ['llama', source],
  ['qwen2', { config: tinyConfig({ model_type: 'qwen2', num_key_value_heads: 2 }), seed: 3 }],
  ['qwen3', { config: tinyConfig({ model_type: 'qwen3', num_key_value_heads: 2, head_dim: 12 }), seed: 3 }],
]
for (const [name, model] of models) {
  engineContract(`local engine, ${name}`, async () => (await openLocalEngine(model, { threads: 2 })).trainer())
}

describe('openLocalEngine', () => {
  it('reports what is wrong with a model folder as a user error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'engine-'))
    try {
      const opening = openLocalEngine(folder, { threads: 1 })
      await expect(opening).rejects.toBeInstanceOf(UserError)
      await expect(opening).rejects.toThrow('config.json is missing')
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ model_type: 'other' }))
      await expect(openLocalEngine(folder, { threads: 1 })).rejects.toThrow('architecture other is not known')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('refuses a provider that this machine has not, as a user error', async ({ skip }) => {
    const opened = await openLocalEngine(source, { threads: 1, provider: 'cuda' }).catch((error: unknown) => error)
    if (!(opened instanceof Error)) return skip('this machine has it')
    expect(opened).toBeInstanceOf(UserError)
    expect(opened.message).toMatch(/^[^\n]*cuda[^\n]*model\.provider=cpu$/)
  })

  it('opens the folder that a trainer saved', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'engine-'))
    try {
      const first = await openLocalEngine(source, { threads: 1 })
      await first.trainer().save(join(folder, 'model'))
      const second = await openLocalEngine(join(folder, 'model'), { threads: 1 })
      expect(second.config).toEqual(first.config)
      const logprobs = await first
        .trainer()
        .sampler()
        .logprobs([[1, 2, 3]])
      expect(
        await second
          .trainer()
          .sampler()
          .logprobs([[1, 2, 3]]),
      ).toEqual(logprobs)
      await first.close()
      await second.close()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('answers calls made before close and refuses later ones', async () => {
    const engine = await openLocalEngine(source, { threads: 1 })
    const sampler = engine.trainer().sampler()
    const params = { n: 1, maxTokens: 4, temperature: 1, stop: [], seed: 1 }
    const pending = sampler.sample([[1, 2]], params)
    const closing = engine.close()
    await expect(sampler.sample([[1, 2]], params)).rejects.toThrow('the engine is closed')
    expect((await pending)[0][0].tokens).toHaveLength(4)
    await closing
    await engine.close()
  })

  it('stops at numbers that are not finite, saves nothing over the last good checkpoint, and goes on from it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'engine-'))
    const good = join(folder, 'good')
    const engine = await openLocalEngine(source, { threads: 1 })
    const trainer = engine.trainer()
    const adam = { learningRate: 1e-2, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 }
    const datum = { tokens: [1, 2, 3], weights: [0, 1, 1] }
    const step = async (weight: number, changes = {}) => {
      await trainer.forwardBackward([{ ...datum, weights: [0, weight, weight] }], { kind: 'cross_entropy' })
      await trainer.optimStep({ ...adam, ...changes })
    }
    try {
      await step(1)
      await trainer.save(good)
      const saved = readFileSync(join(good, 'model.safetensors'))
      const before = await trainer.sampler().logprobs([[1, 2, 3]])
      await expect(step(3e38)).rejects.toThrow(/gradient of model\.\S+ is not finite; the weights are as they were/)
      expect(await trainer.sampler().logprobs([[1, 2, 3]])).toEqual(before)
      const diverged = step(1, { learningRate: Number.POSITIVE_INFINITY })
      await expect(diverged).rejects.toBeInstanceOf(UserError)
      await expect(diverged).rejects.toThrow(/weights of model\.\S+ are not finite after the step/)
      await expect(trainer.save(good)).rejects.toThrow(/weights of model\.\S+ are not finite and are not saved/)
      const params = { n: 1, maxTokens: 2, temperature: 1, stop: [], seed: 1 }
      await expect(trainer.sampler().sample([[1]], params)).rejects.toThrow(/its weights have diverged/)
      expect(readFileSync(join(good, 'model.safetensors')).equals(saved)).toBe(true)
      await trainer.load(good)
      expect(await trainer.sampler().logprobs([[1, 2, 3]])).toEqual(before)
      await step(1)
    } finally {
      await engine.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('rejects every pending call when its worker dies', async () => {
    const client = new WorkerClient<Calls>(startWorker(import.meta.url, 'worker'), 'the engine')
    await client.call('open', source, { threads: 1 })
    const calls = [client.call('reset', 0), client.call('freeze'), client.call('save', '/nowhere')]
    const outcomes = Promise.allSettled(calls)
    await client.terminate()
    expect((await outcomes).map((outcome) => outcome.status)).toContain('rejected')
    await expect(client.call('reset', 0)).rejects.toThrow('worker thread has ended')
  })

  const dying: [string, string, RegExp][] = [
    ['ends', "require('worker_threads').parentPort.on('message', () => process.exit(7))", /ended \(exit code 7\)/],
    [
      'fails',
      "require('worker_threads').parentPort.on('message', () => { throw new Error('oh') })",
      /failed: oh; where it ran out of memory, take a smaller/,
    ],
    [
      'runs out of memory',
      "require('worker_threads').parentPort.on('message', () => { for (const all = []; ; ) all.push(new Array(1e5).fill({})) })",
      /failed: .*memory/,
    ],
  ]
  it.each(dying)('says what happened where the worker %s', async (_, program, message) => {
    const client = new WorkerClient<Calls>(
      new Worker(program, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }),
      'the engine',
    )
    const call = client.call('freeze')
    await expect(call).rejects.toBeInstanceOf(UserError)
    await expect(call).rejects.toThrow(message)
    await expect(client.call('freeze')).rejects.toThrow(message)
    await client.close()
  })

  it('gives up waiting for a worker that is silent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const client = new WorkerClient<Calls>(new Worker('setInterval(() => {}, 1e6)', { eval: true }), 'the engine')
      const calls = [client.call('reset', 0), client.call('freeze')]
      const outcomes = Promise.allSettled(calls)
      vi.advanceTimersByTime(CALL_DEADLINE)
      expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      await expect(calls[1]).rejects.toThrow(/did not answer "reset" within 60 minutes.*take a smaller one/)
      await expect(client.call('freeze')).rejects.toBeInstanceOf(UserError)
      await client.close()
    } finally {
      vi.useRealTimers()
    }
  })
})
