import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UserError } from '../../core/index.ts'
import { engineContract } from '../testing/contract.ts'
import { openLocalEngine } from './engine.ts'
import { tinyConfig } from './testing/weights.ts'
import { WorkerClient } from './worker-client.ts'

const source = { config: tinyConfig({ num_key_value_heads: 2 }), seed: 3 }

engineContract('local engine', async () => (await openLocalEngine(source, { threads: 2 })).trainer())

describe('openLocalEngine', () => {
  it('reports what is wrong with a model folder as a user error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'engine-'))
    try {
      const opening = openLocalEngine(folder, { threads: 1 })
      await expect(opening).rejects.toBeInstanceOf(UserError)
      await expect(opening).rejects.toThrow('config.json is missing')
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ model_type: 'other' }))
      await expect(openLocalEngine(folder, { threads: 1 })).rejects.toThrow('model_type')
    } finally {
      rmSync(folder, { recursive: true })
    }
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

  it('rejects every pending call when its worker dies', async () => {
    const client = new WorkerClient()
    await client.call('open', source, { threads: 1 })
    const calls = [client.call('reset', 0), client.call('freeze'), client.call('save', '/nowhere')]
    const outcomes = Promise.allSettled(calls)
    await client.terminate()
    expect((await outcomes).map((outcome) => outcome.status)).toContain('rejected')
    await expect(client.call('reset', 0)).rejects.toThrow('worker thread has ended')
  })
})
