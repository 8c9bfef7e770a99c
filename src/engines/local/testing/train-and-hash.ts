/** A program: trains a tiny model for 200 steps from a fixed seed and prints a hash of its weights. */
import { createHash } from 'node:crypto'
import { TrainerCore } from '../training/trainer-core.ts'
import { promptsWithAnswers } from './data.ts'
import { tinyConfig } from './weights.ts'

const config = tinyConfig()
const core = TrainerCore.fresh(config, 7, { threads: 2 })
for (let step = 0; step < 200; step++) {
  await core.forwardBackward(promptsWithAnswers(config.vocab_size, 3, 2, step), {
    kind: 'ppo',
    clipLow: 0.2,
    clipHigh: 0.28,
    kl: { coefficient: 0.01, estimator: 'k3' },
  })
  core.optimStep({ learningRate: 1e-3, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 })
}
const { flat } = core.weights.trained
const bytes = new Uint8Array(flat.buffer, flat.byteOffset, flat.byteLength)
process.stdout.write(createHash('sha256').update(bytes).digest('hex'))
