import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Random } from '../../src/core/index.ts'
import type { Datum, Trainer } from '../../src/engines/index.ts'
import { writeFileAtomic } from '../../src/store/index.ts'
import type { CorpusSequence } from './corpus.ts'

export interface TrainOptions {
  steps: number
  /** Sequences a step. */
  batch: number
  learningRate: number
  warmupSteps: number
  /** Final learning rate as a share of the peak (cosine). */
  floor: number
  weightDecay: number
  /** Where to save, so that an interrupted training goes on. */
  folder: string
  saveEvery: number
  log: (line: string) => void
}

const progressSchema = z.object({ step: z.int().min(0) })

/** Learning rate at a step: linear warm-up, then cosine to the floor. */
export function scheduled(step: number, options: TrainOptions): number {
  const { learningRate, warmupSteps, steps, floor } = options
  if (step < warmupSteps) return (learningRate * (step + 1)) / warmupSteps
  const along = (step - warmupSteps) / Math.max(1, steps - warmupSteps)
  return learningRate * (floor + (1 - floor) * 0.5 * (1 + Math.cos(Math.PI * along)))
}

/** Supervised training on a stream of sequences; `make(step, i)` is pure, so a resumed run sees the same data. */
export async function trainBase(
  trainer: Trainer,
  make: (step: number, index: number) => CorpusSequence,
  options: TrainOptions,
): Promise<void> {
  mkdirSync(options.folder, { recursive: true })
  const state = join(options.folder, 'state')
  const position = join(options.folder, 'progress.json')
  let step = 0
  if (existsSync(position)) {
    step = progressSchema.parse(JSON.parse(readFileSync(position, 'utf8'))).step
    await trainer.load(state)
    options.log(
      step < options.steps
        ? `goes on at step ${step}`
        : `nothing left to train in ${options.folder}: delete it to train anew`,
    )
  }
  const began = Date.now()
  const first = step
  let tokens = 0
  let loss = 0
  const batchOf = (at: number) => Array.from({ length: options.batch }, (_, i) => make(at, i))
  let sequences = batchOf(step)
  for (; step < options.steps; step++) {
    const total = sequences.flatMap((one) => one.weights).reduce((sum, weight) => sum + weight, 0)
    const data: Datum[] = sequences.map(({ tokens, weights }) => ({
      tokens,
      weights: weights.map((weight) => weight / total),
    }))
    const working = trainer.forwardBackward(data, { kind: 'cross_entropy' })
    // The next batch is made while the engine's thread works on this one.
    const next = batchOf(step + 1)
    const result = await working
    await trainer.optimStep({
      learningRate: scheduled(step, options),
      beta1: 0.9,
      beta2: 0.95,
      epsilon: 1e-8,
      weightDecay: options.weightDecay,
      clipNorm: 1,
    })
    loss = loss === 0 ? result.loss : 0.95 * loss + 0.05 * result.loss
    tokens += sequences.reduce((sum, one) => sum + one.tokens.length, 0)
    sequences = next
    const done = step + 1
    if (done % 50 === 0) {
      const seconds = (Date.now() - began) / 1000
      const left = ((options.steps - done) * seconds) / (done - first)
      options.log(
        `step ${done}/${options.steps}  loss ${loss.toFixed(3)}  ${Math.round(tokens / seconds)} tokens/s  ${Math.round(left)} s left`,
      )
    }
    if (done % options.saveEvery === 0 || done === options.steps) {
      await trainer.save(state)
      writeFileAtomic(position, JSON.stringify({ step: done }))
    }
  }
}

/** A stream of seeds that never repeats between steps. */
export function seedOf(seed: number, step: number, index: number): number {
  return new Random('base', seed, step, index).integer(0, 0xffffffff)
}
