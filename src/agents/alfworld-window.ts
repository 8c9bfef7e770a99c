import { actionText, observationText, type PastTurn, type Transition } from '../core/index.ts'
import type { Agent, View } from './agent.ts'
import { parsePolicyAnswer, parsePrediction } from './answers.ts'

/**
 * ALFWorld for instruction-tuned models, with the content of the paper's prompts (arXiv 2602.05842, appendix) in our
 * words: every step is its own prompt with the task and the last `historyTurns` turns.
 */
export interface WindowOptions {
  /** H: how many past turns are shown. */
  historyTurns: number
  /** List the admissible commands (without `help`). */
  showActions: boolean
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

export function alfworldWindow(options: WindowOptions): Agent {
  const situation = (instruction: string, initial: string, history: PastTurn[], omitted = 0): string =>
    [
      `Your task in this household: ${instruction}`,
      '',
      'What happened so far:',
      historyText(initial, history, omitted, options.historyTurns),
      '',
      `Current observation: ${currentObservation(initial, history)}`,
    ].join('\n')

  return {
    name: 'alfworld-window',
    showsActions: options.showActions,
    playMessages(view: View) {
      const parts = [
        'You act in a household that is described in text.',
        situation(view.instruction, observationText(view.initial), view.history, view.omitted),
      ]
      if (options.showActions && view.actions) {
        const shown = view.actions.filter((command) => command !== 'help')
        parts.push(`Commands that are possible now:\n${shown.map((command) => `- ${command}`).join('\n')}`)
      }
      parts.push(
        'Reason step by step about the situation inside <thinking> </thinking>, then write exactly one command, and nothing after it.',
      )
      return [{ role: 'user', content: parts.join('\n\n') }]
    },
    parseAction(reply) {
      const { thinking, action, wellFormed } = parsePolicyAnswer(reply)
      const line = action === null ? null : action.split('\n')[0].trim()
      return { thinking, wellFormed, action: line ? { kind: 'text', text: line } : null }
    },
    predictMessages(transition: Transition, { reasoning, omitted }) {
      const parts = [
        'You know how a household that is described in text responds to actions.',
        situation(transition.instruction, observationText(transition.initial), transition.history, omitted),
        `Potential action: ${actionText(transition.action)}`,
        'Your task is to predict the immediate next observation after taking the potential action above.',
      ]
      parts.push(
        reasoning
          ? 'First think briefly, step by step, inside <thinking> </thinking>: go over the previous steps and the current situation, and sum up what you have learned about this household that matters here. Then give the next observation inside <next_state> </next_state>; use the past and current observations as examples of how it is worded.'
          : 'Directly present your final prediction inside <next_state> </next_state>. Do not think first and do not write anything else.',
      )
      return [{ role: 'user', content: parts.join('\n\n') }]
    },
    parsePrediction,
    predictionLabel: (transition: Transition) =>
      `<thinking> </thinking> <next_state> ${observationText(transition.next)} </next_state>`,
  }
}
