import { enclosed } from './enclosed.ts'

/** The two answer formats of the method: `<thinking>…</thinking>` before an action, and a `<next_state>` after thinking. */

export interface PolicyAnswer {
  thinking: string | null
  /** Everything after the thinking, trimmed; null where nothing is left or the thinking was never closed. */
  action: string | null
  /** Thinking closed and followed by one non-empty line. */
  wellFormed: boolean
}

export interface PredictionAnswer {
  thinking: string | null
  /** Content of the first closed `<next_state>` after the thinking; null where there is none. */
  nextState: string | null
}

export function parsePolicyAnswer(reply: string): PolicyAnswer {
  const found = enclosed(reply, 'thinking')
  const unclosed = !found && reply.includes('<thinking>')
  const rest = unclosed ? '' : reply.slice(found?.to ?? 0)
  const action = rest.trim()
  return {
    thinking: found?.inside.trim() ?? null,
    action: action === '' ? null : action,
    wellFormed: found !== null && action !== '' && !action.includes('\n') && !action.includes('<'),
  }
}

/** A label in the form of the paper's (method, section 6), or without spaces between its parts. */
export function spacedLabel(nextState: string, thinking = ''): string {
  return `<thinking> ${thinking === '' ? '' : `${thinking} `}</thinking> <next_state> ${nextState} </next_state>`
}

export function tightLabel(nextState: string, thinking = ''): string {
  return `<thinking>${thinking}</thinking><next_state>${nextState}</next_state>`
}

export function parsePrediction(reply: string): PredictionAnswer {
  const thinking = enclosed(reply, 'thinking')
  const state = enclosed(reply, 'next_state', thinking?.to)
  return { thinking: thinking?.inside.trim() ?? null, nextState: state?.inside.trim() ?? null }
}
