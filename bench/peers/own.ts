/** Our engine's side of a training step, in a process of its own: a step and its figures for every message. */

import type { Datum, Loss, Provider } from '../../src/engines/index.ts'
import { TrainerCore } from '../../src/engines/local/training/trainer-core.ts'
import { ADAM } from './setup.ts'
import type { Figures } from './sides.ts'

export interface OwnTask {
  folder: string
  threads: number
  provider: Provider
  data: Datum[]
  loss: Loss
  /** Whether a step ends with AdamW. */
  update: boolean
  /** 1: layers are computed twice. */
  activationBytes?: number
}

/** The first message is the task; every one after it asks for a step. */
process.once('message', (task: OwnTask) => {
  const { folder, threads, provider, activationBytes } = task
  const core = TrainerCore.open(folder, { threads, provider, activationBytes })
  process.on('message', async () => {
    process.send?.(await step(core, task))
  })
})

async function step(core: TrainerCore, { data, loss, update }: OwnTask): Promise<Figures> {
  const start = performance.now()
  const result = await core.forwardBackward(data, loss)
  const gradientMs = performance.now() - start
  if (update) core.optimStep(ADAM)
  const totalMs = performance.now() - start
  return {
    gradientMs,
    ...(update ? { adamMs: totalMs - gradientMs, totalMs } : {}),
    loss: result.loss,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }
}
