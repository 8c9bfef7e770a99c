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

const THINKING = /<thinking>([\s\S]*?)<\/thinking>/
const NEXT_STATE = /<next_state>([\s\S]*?)<\/next_state>/

export function parsePolicyAnswer(reply: string): PolicyAnswer {
  const match = THINKING.exec(reply)
  const unclosed = !match && reply.includes('<thinking>')
  const rest = unclosed ? '' : match ? reply.slice(match.index + match[0].length) : reply
  const action = rest.trim()
  return {
    thinking: match ? match[1].trim() : null,
    action: action === '' ? null : action,
    wellFormed: match !== null && action !== '' && !action.includes('\n') && !action.includes('<'),
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
  const thinking = THINKING.exec(reply)
  const rest = thinking ? reply.slice(thinking.index + thinking[0].length) : reply
  const state = NEXT_STATE.exec(rest)
  return { thinking: thinking ? thinking[1].trim() : null, nextState: state ? state[1].trim() : null }
}
