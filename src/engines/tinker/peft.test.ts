import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { refereeAnswer, refereeHas } from '../../core/testing/python.ts'
import { openLocalEngine } from '../local/index.ts'
import { FakeTinker } from './testing/fake-server.ts'
import { openFake } from './testing/open.ts'

const BASE = resolve(import.meta.dirname, '../../../models/mini')
const TOKENS = [5, 17, 300, 41, 7, 7, 600, 23]

it.skipIf(!refereeHas('peft', 'transformers'))(
  'a checkpoint that was fetched is the same model to PEFT, to transformers, and to the local engine',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tinker-peft-'))
    const fake = await FakeTinker.start({ base: BASE, reduction: 'sum' })
    const there = await openFake(fake, BASE)
    try {
      const trainer = there.trainer()
      const adam = { learningRate: 1e-2, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 0 }
      const datum = { tokens: TOKENS, weights: TOKENS.map((_, at) => Math.min(at, 1)) }
      await trainer.forwardBackward([datum], { kind: 'cross_entropy' })
      await trainer.optimStep(adam)
      const saved = join(folder, 'saved')
      await trainer.save(saved)
      const sampled = (await trainer.sampler().logprobs([TOKENS]))[0].slice(1)

      const here = await openLocalEngine(saved, { threads: 1, frozen: true })
      const local = (await here.trainer().sampler().logprobs([TOKENS]))[0].slice(1)
      await here.close()
      const found = (await refereeAnswer('adapter.py', BASE, saved, JSON.stringify(TOKENS))) as Record<string, number[]>
      const distance = (other: number[]) => Math.max(...sampled.map((value, at) => Math.abs(value - other[at])))
      expect(distance(found.base)).toBeGreaterThan(0.1)
      for (const other of [local, found.transformers, found.peft]) expect(distance(other)).toBeLessThan(1e-4)
    } finally {
      await there.close()
      await fake.close()
      rmSync(folder, { recursive: true })
    }
  },
  300_000,
)
