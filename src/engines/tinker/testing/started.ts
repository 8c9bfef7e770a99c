import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, vi } from 'vitest'
import type { AdamParams, Datum, Trainer } from '../../engine.ts'
import { writeBase } from './base.ts'
import { type FakeOptions, FakeTinker } from './fake-server.ts'
import { HURRY, openFake } from './open.ts'

/** What tests of faults begin with: a fake server each, an engine on it, and one small step. */
export const folder = mkdtempSync(join(tmpdir(), 'tinker-'))
export const base = await writeBase(folder)
afterAll(() => rmSync(folder, { recursive: true }))

export const adam: AdamParams = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  clipNorm: 0,
}
export const datum: Datum = { tokens: [1, 2, 3, 4, 5], weights: [0, 1, 1, 1, 1] }
export const other: Datum = { tokens: [7, 8, 9], weights: [0, 1, 1] }

export const fakes: FakeTinker[] = []
const trainers: Trainer[] = []
afterEach(async () => {
  for (const trainer of trainers.splice(0)) await trainer.close()
  for (const fake of fakes.splice(0)) await fake.close()
  vi.unstubAllEnvs()
})

export async function start(
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
export async function step(trainer: Trainer, data = [datum]): Promise<number> {
  const pass = trainer.forwardBackward(data, { kind: 'cross_entropy' })
  const [{ gradientNorm }] = await Promise.all([trainer.optimStep(adam), pass])
  return gradientNorm
}

/** The gradient's norms in the first two steps where nothing goes wrong. */
export const healthy = await (async () => {
  const { fake, trainer } = await start()
  const norms = [await step(trainer), await step(trainer)]
  await trainer.close()
  await fake.close()
  trainers.length = 0
  fakes.length = 0
  return norms
})()
