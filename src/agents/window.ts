import { actionText, observationText, type PastTurn, type Transition } from '../core/index.ts'
import type { Message } from '../tokens/index.ts'
import type { Agent, View } from './agent.ts'
import { parsePolicyAnswer, parsePrediction, spacedLabel } from './answers.ts'

export interface WindowOptions {
  /** H: how many past turns are shown. */
  historyTurns: number
  /** List the admissible commands, where the environment lists them. */
  showActions: boolean
  /** What there is to know about the environment: the system message. None when absent. */
  description?: string
}

/** How the prompts speak of the environment. */
interface Words {
  name: string
  /** `You act in …`, `You know how … responds to actions`. */
  place: string
  /** `what you have learned about …`. */
  here: string
  /** Before the instruction. */
  task: string
  /** Commands that are never shown. */
  hidden: readonly string[]
}

const ANY: Words = {
  name: 'window',
  place: 'an environment that is described in text',
  here: 'this environment',
  task: 'Your task',
  hidden: [],
}

const ALFWORLD: Words = {
  name: 'alfworld-window',
  place: 'a household that is described in text',
  here: 'this household',
  task: 'Your task in this household',
  hidden: ['help'],
}

/**
 * Any text environment for instruction-tuned models, with the content of the paper's prompts (arXiv 2602.05842, appendix) in
 * our words: every step is its own prompt with the task and the last `historyTurns` turns.
 */
export const windowAgent = (options: WindowOptions): Agent => window(options, ANY)

/** The same in ALFWorld's words. */
export const alfworldWindow = (options: WindowOptions): Agent => window(options, ALFWORLD)

function window({ historyTurns, showActions, description }: WindowOptions, words: Words): Agent {
  const situation = (instruction: string, initial: string, history: PastTurn[], omitted = 0): string =>
    [
      `${words.task}: ${instruction}`,
      '',
      'What happened so far:',
      historyText(initial, history, omitted, historyTurns),
      '',
      `Current observation: ${currentObservation(initial, history)}`,
    ].join('\n')
  const messages = (parts: string[]): Message[] => [
    ...(description === undefined ? [] : [{ role: 'system' as const, content: description }]),
    { role: 'user', content: parts.join('\n\n') },
  ]

  return {
    name: words.name,
    showsActions: showActions,
    playMessages(view: View) {
      const parts = [
        `You act in ${words.place}.`,
        situation(view.instruction, observationText(view.initial), view.history, view.omitted),
      ]
      if (showActions && view.actions) {
        const shown = view.actions.filter((command) => !words.hidden.includes(command))
        parts.push(`Commands that are possible now:\n${shown.map((command) => `- ${command}`).join('\n')}`)
      }
      parts.push(
        'Reason step by step about the situation inside <thinking> </thinking>, then write exactly one command, and nothing after it.',
      )
      return messages(parts)
    },
    parseAction(reply) {
      const { thinking, action, wellFormed } = parsePolicyAnswer(reply)
      const line = action === null ? null : action.split('\n')[0].trim()
      return { thinking, wellFormed, action: line ? { kind: 'text', text: line } : null }
    },
    actionLabel: (action, thinking = ' ') => `<thinking>${thinking}</thinking> ${actionText(action)}`,
    predictMessages(transition: Transition, { reasoning, omitted }) {
      const { question } = transition
      const answer = question === undefined ? 'the next observation' : 'the answer'
      const example =
        question === undefined ? '; use the past and current observations as examples of how it is worded' : ''
      return messages([
        `You know how ${words.place} responds to actions.`,
        situation(transition.instruction, observationText(transition.initial), transition.history, omitted),
        `Potential action: ${actionText(transition.action)}`,
        question ?? 'Your task is to predict the immediate next observation after taking the potential action above.',
        reasoning
          ? `First think briefly, step by step, inside <thinking> </thinking>: go over the previous steps and the current situation, and sum up what you have learned about ${words.here} that matters here. Then give ${answer} inside <next_state> </next_state>${example}.`
          : 'Directly present your final prediction inside <next_state> </next_state>. Do not think first and do not write anything else.',
      ])
    },
    parsePrediction,
    predictionLabel: ({ next }, thinking) => spacedLabel(observationText(next), thinking),
  }
}

/** The last `turns` turns, numbered from the beginning of the episode; `omitted` stand before `history`. */
function historyText(initial: string, history: PastTurn[], omitted: number, turns: number): string {
  const first = Math.max(0, history.length - turns)
  const observations = [omitted > 0 ? null : initial, ...history.map((turn) => observationText(turn.observation))]
  const lines: string[] = []
  if (omitted + first > 0) lines.push(`(${omitted + first} earlier steps are not shown)`)
  for (let i = first; i < history.length; i++) {
    if (observations[i] !== null) lines.push(`Observation ${omitted + i}: ${observations[i]}`)
    lines.push(`Action ${omitted + i + 1}: ${history[i].action ? actionText(history[i].action!) : '(none)'}`)
  }
  return lines.length > 0 ? lines.join('\n') : '(this is the first step)'
}

function currentObservation(initial: string, history: PastTurn[]): string {
  return history.length > 0 ? observationText(history[history.length - 1].observation) : initial
}
