/**
 * The same row of places without any task reward: the model plays, learns what its actions do, and that is all.
 *
 *     npx rwml run examples/02-own-environment-no-reward.ts
 */
import { defineConfig } from 'rwml'
import { row } from './02-own-environment.ts'

export default defineConfig({
  environment: row({ reward: false }),
  settings: {
    collect: { tasks: 240, rollouts: 2, maxSteps: 12 },
    worldModel: { maxSteps: 100 },
    evaluate: { tasks: 120, maxSteps: 12, transitions: 400 },
  },
})
