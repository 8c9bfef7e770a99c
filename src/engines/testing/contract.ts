import { afterEach } from 'vitest'
import type { Trainer } from '../engine.ts'
import { samplingContract } from './contract-sampling.ts'
import { trainingContract } from './contract-training.ts'

export interface ContractOptions {
  /** Whether the engine knows log-probabilities at temperatures other than 1. */
  tempered?: boolean
}

/**
 * What every engine must do, written against `Sampler` and `Trainer` only: run it for each implementation. `open` gives a
 * trainer on a small model, with the same weights every time; its vocabulary has at least 40 tokens, its context at least
 * 64.
 */
export function engineContract(
  name: string,
  open: () => Promise<Trainer>,
  { tempered = true }: ContractOptions = {},
): void {
  const trainers: Trainer[] = []
  const start = async (): Promise<Trainer> => {
    const trainer = await open()
    trainers.push(trainer)
    return trainer
  }
  afterEach(async () => {
    for (const trainer of trainers.splice(0)) await trainer.close()
  })
  samplingContract(name, start, tempered)
  trainingContract(name, start)
}
