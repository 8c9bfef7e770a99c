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
 * So small a model cannot hold the policies, which have thousands of words: it is shown made-up turns in the form that it is to
 * write, the names of the tools, and what was said last. It shows that everything works together, and solves nothing.
 */
import {
  type Action,
  type Agent,
  ChatService,
  collectStage,
  defineConfig,
  evaluateStage,
  filterStage,
  goldPlayer,
  jsonShape,
  type Observation,
  observationText,
  playersStage,
  randomPlayer,
  rewardStage,
  type Tau2User,
  type Tool,
  tau2Environment,
  tau2SmallAgent,
  type View,
  worldModelStage,
} from 'rwml'

const { TAU2_USER_URL: url, TAU2_USER_MODEL: model } = process.env
const users: Tau2User[] = [{ user: 'scripted' }]
if (url && model) users.push({ user: new ChatService({ url, model }, { cacheFolder: '.cache/tau2-users' }) })

const environment = tau2Environment({ users })

type Example = [question: string, answer: string]

/** A conversation that begins with answered examples. */
const conversation = (system: string, examples: Example[], question: string) => [
  { role: 'system' as const, content: system },
  ...examples.flatMap(([asked, answer]) => [
    { role: 'user' as const, content: asked },
    { role: 'assistant' as const, content: answer },
  ]),
  { role: 'user' as const, content: question },
]

const hotel = 'find_guest(guest_id), get_room(room_id)'

const ACT: Example[] = [
  [`Tools: ${hotel}\nCustomer: My guest id is ann_12.`, 'CALL find_guest {"guest_id": "ann_12"}'],
  [`Tools: ${hotel}\nResult: {"guest_id": "ann_12", "rooms": ["R7"]}`, 'CALL get_room {"room_id": "R7"}'],
  [`Tools: ${hotel}\nResult: {"room_id": "R7", "beds": 2}`, 'Room R7 has 2 beds. Is there anything else?'],
  [
    `Tools: ${hotel}\nCustomer: Hi. I want another room, with a view.`,
    'What is your guest id, or your name and zip code?',
  ],
]

const state = (text: string) => `<next_state>${text}</next_state>`

const PREDICT: Example[] = [
  ['Customer: Hi. I want another room.\nAgent: What is your guest id?', state('My guest id is ann_12.')],
  [
    'Customer: My guest id is ann_12.\nAgent: CALL find_guest {"guest_id": "ann_12"}',
    state(
      '{"type":"object","properties":{"guest_id":{"type":"string"},"rooms":{"type":"array"},"nights":{"type":"number"}}}',
    ),
  ],
  ['Result: {"guest_id": "ann_12"}\nAgent: Shall I book R8? (yes/no)', state('Yes, please go ahead.')],
]

/** Long results would fill the prompt. */
const MOST = 300

const heard = (observation: Observation) => {
  const text = observationText(observation)
  const cut = text.length > MOST ? `${text.slice(0, MOST)} …` : text
  return `${observation.from === 'tool' ? 'Result' : 'Customer'}: ${cut}`
}

const last = ({ initial, history }: Pick<View, 'initial' | 'history'>) => heard(history.at(-1)?.observation ?? initial)

const written = (action: Action) =>
  action.kind === 'text' ? action.text : action.calls.map((call) => `CALL ${call.name} ${call.arguments}`).join('\n')

const signature = ({ name, parameters }: Tool) =>
  `${name}(${Object.keys((parameters as { properties?: object })?.properties ?? {}).join(', ')})`

/** What a tool returns, as the types of its fields and nothing below them: all that fits so short an answer. */
function outline(content: string): string {
  if (!/^\s*[[{]/.test(content)) return content
  const { type, properties } = jsonShape(JSON.parse(content)) as {
    type?: string
    properties?: Record<string, { type?: string }>
  }
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, { type: field.type }])
  return JSON.stringify(properties ? { type, properties: Object.fromEntries(fields) } : { type })
}

const agent: Agent = {
  ...tau2SmallAgent(),
  name: 'tau2-by-example',
  playMessages: (view) =>
    conversation(
      'Serve the customer: write to them, or CALL one of the tools.',
      ACT,
      [`Tools: ${(view.tools ?? []).map(signature).join(', ')}`, last(view)].join('\n'),
    ),
  parseAction(reply) {
    const text = reply.trim()
    const [, name, given] = /^CALL (\w+) ?(.*)/.exec(text) ?? []
    // What cannot be read as JSON is for the environment to answer.
    const action: Action | null = name
      ? { kind: 'tools', calls: [{ id: 'call-0', name, arguments: given }] }
      : text === ''
        ? null
        : { kind: 'text', text }
    return { action, thinking: null, wellFormed: action !== null }
  },
  target: (next) =>
    next.from === 'tool'
      ? { from: 'tool', results: next.results.map((one) => ({ ...one, content: outline(one.content) })) }
      : next,
  predictMessages: (transition) =>
    conversation(
      'Say what follows: what the customer says, or the form of what the tool returns.',
      PREDICT,
      `${last(transition)}\nAgent: ${written(transition.action)}`,
    ),
  predictionLabel: ({ next }) => state(observationText(next)),
}

export default defineConfig({
  preset: 'tools',
  environment,
  agent,
  method: {
    name: 'collect, filter, world-model RL, evaluate',
    stages: [
      collectStage,
      rewardStage,
      filterStage,
      worldModelStage(),
      evaluateStage(),
      // What the scripted user and the evaluation make of an agent that does all right, on every held-out task; and of none.
      playersStage({
        environment: tau2Environment(),
        players: {
          'gold-replay': (task) => goldPlayer(environment.gold(task)),
          random: (_, seed) => randomPlayer(seed),
        },
        settings: { tasks: 0, maxSteps: 30 },
      }),
    ],
  },
  settings: {
    model: { path: 'models/smollm2', lora: { rank: 16, alpha: 32, targets: 'all-linear' } },
    collect: { tasks: 18, rollouts: 1, temperature: 0.7, maxSteps: 5, maxTokens: 32, wave: 18, maxTransitions: 60 },
    reward: { kind: 'hybrid', mode: 'continuous' },
    filter: { rule: 'band', draws: 2, keepHopeless: 1, learningRate: 1e-4, batch: 8, epochs: 1 },
    worldModel: {
      batch: 4,
      groupSize: 4,
      temperature: 0.7,
      maxTokens: 64,
      maxSteps: 6,
      epochs: 1,
      learningRate: 1e-4,
      warmupSteps: 2,
    },
    evaluate: { tasks: 9, runs: 1, maxSteps: 5, transitions: 24 },
  },
})
