/**
 * A chat model on τ²-bench's test tasks, as upstream runs it: its prompts, its tools, a model as the user.
 *
 *     export TAU2_DATA_DIR=tau2-bench/data/tau2 OPENAI_API_KEY=…
 *     npx rwml run examples/06-tau2-baseline.ts --set evaluate.tasks=2      # under half a dollar: does all of it work?
 *     npx rwml run examples/06-tau2-baseline.ts --out runs/baseline         # 100 tasks; Ctrl-C, then --resume, pays nothing twice
 *
 * What it costs, and how other services are named: docs/tau2.md.
 */
import {
  ChatService,
  defineConfig,
  goldPlayer,
  playersStage,
  type ServiceSettings,
  Spending,
  tau2Environment,
  tau2Player,
} from 'rwml'

const openai = { url: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY', maxConcurrent: 16 }
// Dollars for a million tokens: look them up, they change.
const agentAt: ServiceSettings = {
  ...openai,
  model: 'gpt-4.1-mini',
  prices: { input: 0.4, cachedInput: 0.1, output: 1.6 },
}
const userAt: ServiceSettings = { ...openai, model: 'gpt-4.1', prices: { input: 2, cachedInput: 0.5, output: 8 } }

// Both keep their answers in one folder and stop at one limit, in dollars.
const shared = { cacheFolder: '.cache/tau2', spending: new Spending('.cache/tau2-spending.jsonl', 10) }
const agent = new ChatService(agentAt, shared)
const user = new ChatService(userAt, shared)

const environment = tau2Environment({ users: [{ user, maxTokens: 512 }] })

export default defineConfig({
  environment,
  method: {
    name: 'baseline',
    stages: [
      playersStage({
        players: { [agent.name]: (_, seed) => tau2Player(agent, { temperature: 0, maxTokens: 1024, seed }) },
        concurrency: 16,
      }),
      // What the evaluation makes of an agent that does all right; its user is scripted, which costs nothing.
      playersStage({
        name: 'gold',
        environment: tau2Environment(),
        players: { 'gold-replay, scripted user': (task) => goldPlayer(environment.gold(task)) },
        settings: { runs: 1 },
      }),
    ],
  },
  // `models/mini` takes no part: a run has a model, and this one is shipped.
  settings: { model: { path: 'models/mini' }, evaluate: { tasks: 0, runs: 1, maxSteps: 100 } },
})
