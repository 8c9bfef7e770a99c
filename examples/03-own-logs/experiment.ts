/**
 * World-model RL on one's own chat logs: nothing is played. First make and import them (README.md), then
 *
 *     npx rwml run examples/03-own-logs/experiment.ts --out runs/own-logs
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

export const experiment = defineConfig({
  preset: 'mini',
  environment: recordedEnvironment('runs/logs'),
  agent: toolsTranscriptAgent(),
  // The miniature has never read a word of such talk: it first has to learn how answers are written at all.
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
    collect: { tasks: 1000 },
    reward: { kind: 'hybrid' },
    filter: { rule: 'none' },
    worldModelSft: { learningRate: 1e-3, maxSteps: 60, batch: 48 },
    worldModel: { maxTokens: 100, batch: 32, maxSteps: 60 },
  },
})
