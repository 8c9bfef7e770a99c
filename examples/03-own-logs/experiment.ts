/**
 * World-model RL on one's own chat logs: nothing is played. First make and import them (README.md), then
 *
 *     npx rwml run examples/03-own-logs/experiment.ts
 */
import {
  collectStage,
  defineConfig,
  evaluateStage,
  filterStage,
  recordedEnvironment,
  rewardStage,
  toolsTranscriptAgent,
  worldModelSftStage,
  worldModelStage,
} from 'rwml'

export default defineConfig({
  preset: 'mini',
  environment: recordedEnvironment('runs/logs'),
  agent: toolsTranscriptAgent(),
  // The miniature has never read such talk: some steps of SFT first teach it how answers are written at all. A model that
  // can chat needs none of it: method: 'rwml'.
  method: {
    name: 'wm-sft-then-rwml',
    stages: [
      collectStage,
      rewardStage,
      filterStage,
      worldModelSftStage(),
      worldModelStage({ from: 'world-model-sft' }),
      evaluateStage(),
    ],
  },
  settings: {
    reward: { kind: 'hybrid' },
    filter: { rule: 'none' },
    worldModelSft: { learningRate: 1e-3, batch: 16, maxSteps: 160 },
    worldModel: { maxTokens: 120, batch: 16, maxSteps: 40 },
  },
  out: 'runs/own-logs',
})
