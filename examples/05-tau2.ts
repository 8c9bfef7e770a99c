/**
 * τ²-bench from collection to report, on two cores with SmolLM2-135M:
 *
 *     git clone https://github.com/sierra-research/tau2-bench
 *     export TAU2_DATA_DIR=tau2-bench/data/tau2
 *     npx rwml model import HuggingFaceTB/SmolLM2-135M-Instruct --out models/smollm2
 *     npx rwml run examples/05-tau2.ts --dry
 *     npx rwml run examples/05-tau2.ts
 *
 * Users are scripted. With `TAU2_USER_URL` and `TAU2_USER_MODEL` every fifth one of training is played by a chat model behind
 * OpenAI's protocol; `TAU2_USER_TOOLS=off` for a service that knows no tools (`rwml serve`): telecom's users then have no phone
 * to look at. What came of both: docs/results/tau2.md.
 *
 * So small a model cannot hold the policies, which have thousands of words, and calls no tools: scripts play for it, and it
 * learns to say what tools and users answer; first the form, by supervision, then by RL. It solves no task.
 */
import {
  type Agent,
  ChatService,
  collectByStage,
  defineConfig,
  evaluateStage,
  filterStage,
  goldPlayer,
  jsonShape,
  type OtherPlayers,
  playersStage,
  randomPlayer,
  rewardStage,
  type Tau2User,
  tau2Environment,
  tau2SmallAgent,
  worldModelSftStage,
  worldModelStage,
} from 'rwml'

const { TAU2_USER_URL: url, TAU2_USER_MODEL: model, TAU2_USER_TOOLS } = process.env
const users: Tau2User[] = [{ user: 'scripted', weight: 4 }]
if (url && model) {
  const settings = { url, model, ...(TAU2_USER_TOOLS === 'off' && { extra: { tools: null } }) }
  users.push({ user: new ChatService(settings, { cacheFolder: '.cache/tau2-users' }), maxTokens: 48 })
}

const environment = tau2Environment({ users })

/** Of what a tool returns, the names of its fields: that much fits so short an answer. */
function outline(content: string): string {
  if (!/^\s*[[{]/.test(content)) return content
  const { type, properties } = jsonShape(JSON.parse(content)) as { type?: string; properties?: Record<string, object> }
  return JSON.stringify(properties ? { type, required: Object.keys(properties) } : { type })
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
const players: OtherPlayers['players'] = {
  'gold-replay': (task) => goldPlayer(environment.gold(task)),
  random: (_, seed) => randomPlayer(seed),
}

export default defineConfig({
  preset: 'tools',
  environment,
  agent,
  method: {
    name: 'collect, filter, WM SFT, world-model RL, evaluate',
    stages: [
      collectByStage({ players }),
      rewardStage,
      filterStage,
      worldModelSftStage(),
      worldModelStage({ from: 'world-model-sft', arm: 'after WM SFT and RL' }),
      // With scripted users, whoever played them in training: the same transitions on any machine.
      evaluateStage({ environment: tau2Environment(), heldOutBy: { players } }),
      // What the scripted user and the evaluation make of an agent that does all right, on every held-out task; and of none.
      playersStage({
        environment: tau2Environment(),
        players,
        settings: { tasks: 0, runs: 1, maxSteps: 30 },
      }),
    ],
  },
  settings: {
    model: { path: 'models/smollm2', lora: { rank: 16, alpha: 32, targets: 'all-linear' } },
    collect: {
      tasks: 12,
      rollouts: 2,
      temperature: 0.7,
      maxSteps: 8,
      maxTokens: 32,
      filterShare: 0.1,
      maxTransitions: 80,
    },
    reward: { kind: 'hybrid', mode: 'continuous' },
    filter: { rule: 'band', draws: 2, keepHopeless: 1, learningRate: 5e-4, batch: 8, epochs: 1 },
    worldModelSft: { batch: 8, epochs: 2, maxSteps: 12, learningRate: 5e-4, warmupSteps: 2 },
    worldModel: {
      batch: 2,
      groupSize: 4,
      temperature: 1,
      maxTokens: 96,
      maxSteps: 3,
      epochs: 1,
      learningRate: 1e-4,
      warmupSteps: 2,
      kl: { coefficient: 0 },
    },
    evaluate: { tasks: 10, runs: 1, maxSteps: 6, transitions: 20 },
  },
})
