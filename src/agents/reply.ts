import type { Action } from '../core/index.ts'
import { canonicalJson } from '../store/index.ts'
import type { Agent } from './agent.ts'

type Writer = Pick<Agent, 'parseAction' | 'actionLabel'>

/**
 * A reply that does an action, in an agent's own format: the given one where it is well formed and does it, thoughts included;
 * else what the agent writes for it. Null where the format cannot carry the action: what would be read from the reply is not
 * what was done.
 */
export function replyFor(agent: Writer, action: Action, given = ''): string | null {
  const key = actionKey(action)
  const does = (reply: string) => {
    const parsed = agent.parseAction(reply)
    return parsed.action !== null && actionKey(parsed.action) === key ? parsed : null
  }
  if (given !== '' && does(given)?.wellFormed) return given
  const label = agent.actionLabel?.(action)
  if (label !== undefined) return does(label) ? label : null
  return given !== '' && does(given) ? given : null
}

/** Equal for actions that do the same: ids of calls, spaces around a text and the order of JSON keys do not matter. */
export function actionKey(action: Action): string {
  if (action.kind === 'text') return `text ${action.text.trim()}`
  const calls = action.calls.map(({ name, arguments: written }) => [name, argumentsKey(written)])
  return `tools ${JSON.stringify([calls, action.text?.trim() ?? ''])}`
}

function argumentsKey(written: string): string {
  try {
    return canonicalJson(JSON.parse(written))
  } catch {
    return written
  }
}
