/**
 * τ²-bench from collection to report, on two cores with SmolLM2-135M:
 *
 *     git clone https://github.com/sierra-research/tau2-bench
 *     export TAU2_DATA_DIR=tau2-bench/data/tau2
 *     npx rwml model import HuggingFaceTB/SmolLM2-135M-Instruct --out models/smollm2
 *     npx rwml run examples/05-tau2.ts --dry
 *     npx rwml run examples/05-tau2.ts
 *
 * Users are scripted. With `TAU2_USER_URL` and `TAU2_USER_MODEL` every second one is played by a chat model behind OpenAI's
 * protocol. What came of it: docs/results/tau2.md.
 *
 * So small a model cannot hold the policies, which have thousands of words: it is shown the names of the tools and made-up
 * answers in the form that it is to write. That shows how everything works together, and solves next to nothing.
 */
import {
  type Agent,
  ChatService,
  type CollectByOptions,
  collectByStage,
  defineConfig,
  evaluateStage,
  filterStage,
  goldPlayer,
  jsonShape,
  playersStage,
  randomPlayer,
  rewardStage,
  type Tau2User,
  tau2Environment,
  tau2SmallAgent,
  worldModelStage,
} from 'rwml'

const { TAU2_USER_URL: url, TAU2_USER_MODEL: model } = process.env
const users: Tau2User[] = [{ user: 'scripted' }]
if (url && model) users.push({ user: new ChatService({ url, model }, { cacheFolder: '.cache/tau2-users' }) })

const environment = tau2Environment({ users })

/** What a tool returns, as the types of its fields and nothing below them: that much fits so short an answer. */
function outline(content: string): string {
  if (!/^\s*[[{]/.test(content)) return content
  const { type, properties } = jsonShape(JSON.parse(content)) as { type?: string; properties?: Record<string, object> }
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [
    name,
    { type: (field as { type?: string }).type },
  ])
  return JSON.stringify(properties ? { type, properties: Object.fromEntries(fields) } : { type })
}

const agent: Agent = {
  ...tau2SmallAgent({ historyTurns: 1 }),
  name: 'tau2-small, outlines',
  target: (next) =>
    next.from === 'tool'
      ? { from: 'tool', results: next.results.map((one) => ({ ...one, content: outline(one.content) })) }
      : next,
}

/** The first does all right, the second anything: what tools and users answer to both is what is to be learnt. */
const players: CollectByOptions['players'] = {
  'gold-replay': (task) => goldPlayer(environment.gold(task)),
  random: (_, seed) => randomPlayer(seed),
}

export default defineConfig({
  preset: 'tools',
  environment,
  agent,
  method: {
    name: 'collect, filter, world-model RL, evaluate',
    stages: [
      collectByStage({ players }),
      rewardStage,
      filterStage,
      worldModelStage(),
      evaluateStage(),
      // What the scripted user and the evaluation make of an agent that does all right, on every held-out task; and of none.
      playersStage({
        environment: tau2Environment(),
        players,
        settings: { tasks: 0, maxSteps: 30 },
      }),
    ],
  },
  settings: {
    model: { path: 'models/smollm2', lora: { rank: 16, alpha: 32, targets: 'all-linear' } },
    collect: { tasks: 18, rollouts: 2, temperature: 0.7, maxSteps: 6, maxTokens: 32, maxTransitions: 48 },
    reward: { kind: 'hybrid', mode: 'continuous' },
    filter: { rule: 'band', draws: 2, keepHopeless: 1, learningRate: 1e-4, batch: 8, epochs: 1 },
    worldModel: {
      batch: 3,
      groupSize: 4,
      temperature: 0.7,
      maxTokens: 64,
      maxSteps: 6,
      epochs: 1,
      learningRate: 1e-4,
      warmupSteps: 2,
    },
    evaluate: { tasks: 6, runs: 1, maxSteps: 4, transitions: 18 },
  },
})
