import { observationText, type PastTurn, type Tool, type Transition } from '../core/index.ts'
import { TAU2_GREETING } from '../environments/index.ts'
import type { Message } from '../tokens/index.ts'
import type { Agent, View } from './agent.ts'
import { parsePrediction } from './answers.ts'
import { maskedByTool, type ToolShapes } from './masked-results.ts'
import { tau2SoloPrompt, tau2SystemPrompt } from './tau2-instructions.ts'
import { parseToolReply, toolInstructions } from './tool-calls.ts'
import { conversation, question } from './tools.ts'

export interface Tau2AgentOptions {
  /** H: how many past turns a question shows. Default 4. */
  historyTurns?: number
  /** Ask for the JSON-Schema shape of what tools return, not for its values (method, section 2). Default true. */
  mask?: boolean
  /** What tools declare to return, where they do; what is not declared has the shape of its value. */
  shapes?: ToolShapes
}

/**
 * τ²-bench for instruction-tuned models without tool calls of their own: upstream's prompt, tools and calls as text. A question
 * about what follows shows the called tools and the last turns, what the user has told, and never the policy: it has thousands
 * of words and says little of what a tool returns.
 */
export function tau2Agent({ historyTurns = 4, mask = true, shapes }: Tau2AgentOptions = {}): Agent {
  return {
    ...asked('tau2', { historyTurns, mask, shapes }),
    playMessages(view) {
      const { initial, instruction, tools = [] } = view
      const prompt = isSolo(view)
        ? tau2SoloPrompt(instruction, observationText(initial))
        : `${tau2SystemPrompt(instruction)}\n\nYou have opened the conversation with: ${TAU2_GREETING}`
      return conversation({ ...view, instruction: prompt }, toolInstructions(tools))
    },
    predictionLabel: ({ next }) => `<thinking> </thinking> <next_state> ${observationText(next)} </next_state>`,
  }
}

/** Of a past result a small model is shown so many characters: some have thousands. */
const SHOWN = 400

/**
 * The same for small models that are trained on it: tools as one line each, the beginning of what tools returned, no policy, so
 * that a conversation fits a short context. Such an agent cannot know the rules that it is judged by, nor all that it looked
 * up; it is there to train and test with.
 */
export function tau2SmallAgent({ historyTurns = 4, mask = true, shapes }: Tau2AgentOptions = {}): Agent {
  const { predictMessages, ...rest } = asked('tau2-small', { historyTurns, mask, shapes })
  return {
    ...rest,
    playMessages(view) {
      const ticket = isSolo(view) ? '' : ' Write to the customer, or call a tool.'
      const instruction = `You serve customers.${ticket} A call is <tool_call>{"name": …, "arguments": {…}}</tool_call>. Tools:`
      const history = view.history.map(shortened)
      return conversation({ ...view, instruction, history }, (view.tools ?? []).map(signature).join('\n'))
    },
    predictMessages: (transition, options) =>
      predictMessages({ ...transition, history: transition.history.map(shortened) }, options),
    predictionLabel: ({ next }) => `<thinking></thinking><next_state>${observationText(next)}</next_state>`,
  }
}

/** What both have in common: how actions are read, and how they are asked as world models. */
function asked(
  name: string,
  { historyTurns, mask, shapes }: Tau2AgentOptions & { historyTurns: number; mask: boolean },
): Omit<Agent, 'playMessages' | 'predictionLabel'> {
  return {
    name: `${name}, ${historyTurns} turns${mask ? ', masked' : ''}`,
    showsActions: false,
    parseAction: parseToolReply,
    target: mask ? (next) => maskedByTool(next, shapes) : undefined,
    predictMessages(transition: Transition, { reasoning, omitted = 0 }): Message[] {
      const content = question({ ...transition, instruction: '' }, { historyTurns, mask, reasoning, omitted })
      return [{ role: 'user', content }]
    },
    parsePrediction,
  }
}

function shortened(turn: PastTurn): PastTurn {
  if (turn.observation.from !== 'tool') return turn
  const results = turn.observation.results.map((one) =>
    one.content.length <= SHOWN ? one : { ...one, content: `${one.content.slice(0, SHOWN)}…` },
  )
  return { ...turn, observation: { from: 'tool', results } }
}

/** An agent alone has a ticket where others have a user. */
const isSolo = ({ initial }: View): boolean => initial.from === 'environment'

/** `get_order_details(order_id)`; optional parameters end in a question mark. */
function signature({ name, parameters }: Tool): string {
  const { properties = {}, required = [] } = (parameters ?? {}) as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  const names = Object.keys(properties).map((one) => (required.includes(one) ? one : `${one}?`))
  return `${name}(${names.join(', ')})`
}
