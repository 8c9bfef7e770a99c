import { observationText, type PastTurn, type Tool, type Transition } from '../core/index.ts'
import type { Message } from '../tokens/index.ts'
import type { Agent } from './agent.ts'
import { parsePrediction } from './answers.ts'
import { maskedObservation } from './masked-results.ts'
import { isSolo, type Tau2AgentOptions } from './tau2.ts'
import { parseToolReply, toolReply, toolsText } from './tool-calls.ts'
import { actionLine, calledTools, conversation, historyText, userFacts } from './tools.ts'

/** Of a past result a small model is shown so many characters: some have thousands. */
const SHOWN = 400

const CALL = '<tool_call>{"name": "find_parcel", "arguments": {"parcel_id": "P7"}}</tool_call>'

/** Small models copy rather than follow instructions, so they are shown made-up answers in the form that they are to write. */
const ACT: Message[] = [
  { role: 'user', content: 'Where is my parcel? Its number is P7.' },
  { role: 'assistant', content: CALL },
  { role: 'user', content: '{"parcel_id": "P7", "state": "on its way"}' },
  { role: 'assistant', content: 'It is on its way. Is there anything else I can help you with?' },
]

const state = (text: string): string => `<next_state>${text}</next_state>`

/** The same for predictions: what a tool returns, and what a user says. */
const examples = (mask: boolean): Message[] => [
  {
    role: 'user',
    content: 'User: Where is my parcel? Its number is P7.\nAssistant calls: find_parcel({"parcel_id": "P7"})',
  },
  {
    role: 'assistant',
    content: state(
      mask
        ? '{"type":"object","properties":{"parcel_id":{"type":"string"},"state":{"type":"string"}}}'
        : '{"parcel_id": "P7", "state": "on its way"}',
    ),
  },
  { role: 'user', content: 'User: I cannot log in. I am Ann Lee.\nAssistant: May I have your zip code?' },
  { role: 'assistant', content: state('My zip code is 20194.') },
]

/**
 * τ²-bench for small models that are trained on it: tools as one line each, the beginning of what tools returned, examples of
 * answers, no policy, so that a conversation fits a short context. Such an agent cannot know the rules that it is judged by,
 * nor all that it looked up; it is there to train and test with. It is asked without being told to think, in any case.
 */
export function tau2SmallAgent({
  historyTurns = 4,
  mask = true,
  shapes,
}: Omit<Tau2AgentOptions, 'toolCalls'> = {}): Agent {
  return {
    name: `tau2-small, ${historyTurns} turns${mask ? ', masked' : ''}`,
    showsActions: false,
    playMessages(view) {
      const role = isSolo(view)
        ? 'Mend what the ticket says by calling tools'
        : 'Help the customer: call a tool, or write'
      const tools = (view.tools ?? []).map(signature).join('\n')
      const history = view.history.map(shortened)
      const [system, ...talk] = conversation({ ...view, instruction: `${role}. Tools:`, history }, tools)
      return [system, ...ACT, ...talk]
    },
    parseAction: parseToolReply,
    // Its examples answer without thinking.
    actionLabel: (action, thinking) =>
      toolReply(action, thinking === undefined ? '' : `<thinking>${thinking}</thinking>`),
    target: mask ? (next) => maskedObservation(next, shapes) : undefined,
    predictMessages(transition, { omitted = 0 }) {
      const answer = mask ? 'Write what follows; of JSON, its JSON Schema.' : 'Write what follows.'
      return [
        { role: 'system', content: transition.question ?? answer },
        // Made-up answers to another question would only mislead.
        ...(transition.question === undefined ? examples(mask) : []),
        { role: 'user', content: asked(transition, omitted, historyTurns) },
      ]
    },
    parsePrediction,
    predictionLabel: ({ next }, thinking) =>
      `${thinking ? `<thinking>${thinking}</thinking>` : ''}${state(observationText(next))}`,
  }
}

/** The called tools, what the user has told that is not to be seen any more, the last turns, and the action. */
function asked({ tools = [], initial, history, action }: Transition, omitted: number, turns: number): string {
  const shown = historyText(initial, history.map(shortened), omitted, turns)
  const facts = userFacts(initial, history).filter((fact) => !shown.includes(fact))
  return [
    ...calledTools(action, tools).map((tool) => toolsText([tool])),
    ...facts.map((fact) => `User said before: ${fact}`),
    shown,
    actionLine(action),
  ].join('\n')
}

function shortened(turn: PastTurn): PastTurn {
  if (turn.observation.from !== 'tool') return turn
  const results = turn.observation.results.map((one) =>
    one.content.length <= SHOWN ? one : { ...one, content: `${one.content.slice(0, SHOWN)}…` },
  )
  return { ...turn, observation: { from: 'tool', results } }
}

/** `get_order_details(order_id)`; optional parameters end in a question mark. */
function signature({ name, parameters }: Tool): string {
  const { properties = {}, required = [] } = (parameters ?? {}) as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  const names = Object.keys(properties).map((one) => (required.includes(one) ? one : `${one}?`))
  return `${name}(${names.join(', ')})`
}
