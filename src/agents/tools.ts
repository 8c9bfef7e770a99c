import {
  type Action,
  actionText,
  type Observation,
  observationText,
  type PastTurn,
  type Tool,
  type Transition,
} from '../core/index.ts'
import type { Message } from '../tokens/index.ts'
import type { Agent, View } from './agent.ts'
import { parsePrediction, spacedLabel, tightLabel } from './answers.ts'
import { maskedObservation } from './masked-results.ts'
import {
  nativeReply,
  parseNativeReply,
  parseToolReply,
  type ToolForm,
  thoughtOut,
  toolDefinitions,
  toolInstructions,
  toolsText,
} from './tool-calls.ts'
import { asking } from './transcript.ts'

export interface ToolsTranscriptOptions {
  /** Ask for the JSON-Schema shape of what tools return, not for its values (method, section 2). Default true. */
  mask?: boolean
}

export interface ToolsOptions extends ToolsTranscriptOptions {
  /** H: how many past turns a question shows. Default 4. */
  historyTurns?: number
  /** `template`: the model's template shows the tools and takes its calls (`ChatTemplate.takesTools`). Default `text`. */
  toolCalls?: ToolForm
}

/**
 * Conversations with a user and tools, for instruction-tuned models: the agent talks in a growing conversation; a question
 * about what follows is a prompt of its own, with the content of the paper's prompts (arXiv 2602.05842, appendix) in our words.
 */
export function toolsAgent({ historyTurns = 4, mask = true, toolCalls = 'text' }: ToolsOptions = {}): Agent {
  return {
    name: `tools, ${historyTurns} turns${mask ? ', masked' : ''}${formName(toolCalls)}`,
    showsActions: false,
    ...toolPlay(toolCalls, (view) => view),
    target: mask ? (next) => maskedObservation(next) : undefined,
    predictMessages(transition, { reasoning, omitted = 0 }) {
      return [{ role: 'user', content: question(transition, { historyTurns, mask, reasoning, omitted }) }]
    },
    parsePrediction,
    predictionLabel: ({ next }, thinking) => spacedLabel(observationText(next), thinking),
  }
}

/**
 * The same for small models that are trained on it: no instructions but the log's own, and a prediction is asked for in the
 * conversation, where the action would stand.
 */
export function toolsTranscriptAgent({ mask = true }: ToolsTranscriptOptions = {}): Agent {
  return {
    name: `tools-transcript${mask ? ', masked' : ''}`,
    showsActions: false,
    playMessages: (view) => conversation(view, ''),
    parseAction: parseToolReply,
    actionLabel: thoughtOut,
    target: mask ? (next) => maskedObservation(next) : undefined,
    predictMessages(transition, { omitted }) {
      const messages = conversation({ ...transition, omitted }, '')
      messages[messages.length - 1].content += asking(transition) + actionText(transition.action)
      return messages
    },
    parsePrediction,
    predictionLabel: ({ next }, thinking) => tightLabel(observationText(next), thinking),
  }
}

/** Of an agent's name: its play is another by it. */
export const formName = (form: ToolForm): string => (form === 'template' ? ', tools by its template' : '')

/** How an agent plays with tools in either form; `shown` is what it is told of a view. */
export function toolPlay(
  form: ToolForm,
  shown: (view: View) => View,
): Pick<Agent, 'playMessages' | 'playTools' | 'parseAction' | 'actionLabel'> {
  if (form === 'text') {
    return {
      playMessages: (view) => conversation(shown(view), toolInstructions(view.tools ?? [])),
      parseAction: parseToolReply,
      actionLabel: thoughtOut,
    }
  }
  return {
    playMessages: (view) => conversation(shown(view), '', 'template'),
    playTools: ({ tools = [] }) => toolDefinitions(tools),
    parseAction: parseNativeReply,
    actionLabel: nativeReply,
  }
}

/**
 * As chat messages. What tools return stands in user turns, which every template has, or in the template's own for tools.
 * Replies stand as they were written: the text of a call that is put together anew may be another.
 */
export function conversation(
  { instruction, initial, history, omitted = 0 }: View,
  more: string,
  form: ToolForm = 'text',
): Message[] {
  const system = [instruction, more].filter((text) => text !== '').join('\n\n')
  const messages: Message[] = system === '' ? [] : [{ role: 'system', content: system }]
  const before = omitted > 0 ? `\n${notShown(omitted)}` : ''
  messages.push({ role: 'user', content: observationText(initial) + before })
  for (const { reply, action, observation } of history) {
    if (action !== null || reply !== '') messages.push({ role: 'assistant', content: reply })
    if (form === 'template' && observation.from === 'tool') {
      messages.push(...observation.results.map(({ content }): Message => ({ role: 'tool', content })))
      continue
    }
    const last = messages[messages.length - 1]
    // Nothing was done in between: many templates refuse two user turns in a row.
    if (last.role === 'user') last.content += `\n${observationText(observation)}`
    else messages.push({ role: 'user', content: observationText(observation) })
  }
  return messages
}

const notShown = (turns: number): string => `(earlier turns not shown: ${turns})`

interface Question {
  historyTurns: number
  mask: boolean
  reasoning: boolean
  /** Turns before those of the transition. */
  omitted: number
}

/** What is asked about a transition: what follows its action. */
export function question(transition: Transition, { historyTurns, mask, reasoning, omitted }: Question): string {
  const { instruction, tools = [], initial, history, action } = transition
  const facts = userFacts(initial, history)
  const called = calledTools(action, tools)
  const isNext = transition.question === undefined
  const wanted = isNext ? 'the next observation' : 'the answer'
  const example = isNext ? '; use the past ones as examples of how it is worded' : ''
  return [
    'You know how conversations between an assistant, its user and its tools go on.',
    instruction === '' ? '' : `Instructions of the assistant:\n${instruction}`,
    called.length === 0 ? '' : `Tools that it calls now:\n${toolsText(called)}`,
    facts.length === 0 ? '' : `What the user has told so far:\n${facts.map((fact) => `- ${fact}`).join('\n')}`,
    `What happened so far:\n${historyText(initial, history, omitted, historyTurns)}`,
    `Potential action of the assistant:\n${actionLine(action)}`,
    transition.question ??
      `Your task is to predict the immediate next observation after the potential action above: ${
        action.kind === 'text' ? 'what the user says next.' : 'what the tools return, in the order of the calls.'
      }`,
    action.kind === 'tools' && mask && isNext
      ? 'Where a tool returns JSON, give the JSON Schema of its answer instead of values: for {"customer_id": "abc123"} write {"type":"object","properties":{"customer_id":{"type":"string"}}}.'
      : '',
    reasoning
      ? `First think briefly, step by step, inside <thinking> </thinking>: go over the previous turns and the current situation, and sum up what you have learned about the user and about what lies behind the tools that matters here. Then give ${wanted} inside <next_state> </next_state>${example}.`
      : 'Directly present your final prediction inside <next_state> </next_state>. Do not think first and do not write anything else.',
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Those of the tools that an action calls. */
export function calledTools(action: Action, tools: readonly Tool[]): Tool[] {
  if (action.kind === 'text') return []
  const names = new Set(action.calls.map((call) => call.name))
  return tools.filter((tool) => names.has(tool.name))
}

/** The last turns, and how many stand before them. */
export function historyText(
  initial: Observation,
  history: readonly PastTurn[],
  omitted: number,
  turns: number,
): string {
  const first = Math.max(0, history.length - turns)
  const before = first > 0 ? history[first - 1].observation : omitted > 0 ? null : initial
  return [
    ...(omitted + first > 0 ? [notShown(omitted + first)] : []),
    ...(before ? observationLines(before) : []),
    ...history
      .slice(first)
      .flatMap(({ action, observation }) => [
        ...(action ? [actionLine(action)] : []),
        ...observationLines(observation),
      ]),
  ].join('\n')
}

export function actionLine(action: Action): string {
  return action.kind === 'text' ? `Assistant: ${action.text}` : `Assistant calls: ${actionText(action)}`
}

function observationLines(observation: Observation): string[] {
  if (observation.from === 'tool') return observation.results.map(({ name, content }) => `${name} returned: ${content}`)
  return [observation.text === '' ? '(the assistant begins)' : `User: ${observation.text}`]
}

/** Sentences in which people say who they are and name what is theirs, or with a number or an address in them. */
const FACT = /\b(?:i am|i'm|my)\b|[\d@]/i

/** What the user has said of themselves so far, in order, once each: it may lie before the turns that are shown. */
export function userFacts(initial: Observation, history: readonly PastTurn[]): string[] {
  const said = [initial, ...history.map((turn) => turn.observation)].flatMap((one) =>
    one.from === 'user' ? one.text.split(/(?<=[.!?])\s+|\n+/) : [],
  )
  return [...new Set(said.map((sentence) => sentence.trim()).filter((sentence) => FACT.test(sentence)))]
}
