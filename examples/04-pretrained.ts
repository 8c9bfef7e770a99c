/**
 * A pretrained model of one's own, here SmolLM2-135M, trained by an adapter on two cores:
 *
 *     npx rwml model import HuggingFaceTB/SmolLM2-135M-Instruct --out models/smollm2
 *     npx rwml run examples/04-pretrained.ts --dry
 *     npx rwml run examples/04-pretrained.ts
 *
 * Small generated households. The model has seen neither them nor the form of answers, so it is given what larger models are
 * given, the possible actions; and it is small, so four prompts of four answers make a step. For ALFWorld's own games add
 * `--set environment.source=data --set environment.data=DIR`.
 */
import { defineConfig } from 'rwml'

export default defineConfig({
  preset: 'mini',
  method: 'rwml',
  settings: {
    model: { path: 'models/smollm2', lora: { rank: 16, alpha: 32, targets: 'all-linear' } },
    agent: { style: 'window', historyTurns: 2, showActions: true },
    environment: { tasks: { train: 64, seen: 12, unseen: 12 } },
    collect: { tasks: 32, rollouts: 1, maxSteps: 8, maxTokens: 48, wave: 16, maxTransitions: 120 },
    filter: { draws: 2, keepHopeless: 1, learningRate: 1e-4, batch: 8 },
    worldModel: { batch: 4, groupSize: 4, maxTokens: 96, maxSteps: 10, epochs: 1, learningRate: 1e-4, warmupSteps: 2 },
    policy: { tasks: 4, groupSize: 4, maxSteps: 8, maxTokens: 48, steps: 5, learningRate: 1e-4, warmupSteps: 1 },
    evaluate: { tasks: 12, runs: 1, maxSteps: 8, transitions: 24 },
  },
})
