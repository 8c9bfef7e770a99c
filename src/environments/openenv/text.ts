import { type Action, actionText, UserError } from '../../core/index.ts'

/** Of an environment's observation, what an agent sees. */
export interface OpenEnvView {
  text: string
  /** The action before it was one that its state admits. Default true. */
  valid?: boolean
  /** Commands that are admissible now, for agents that show them: in the first observation, and then in all. */
  actions?: string[]
}

/** Fields that hold what an observation says, the first one that is there. */
const SAYING = ['text', 'message', 'observation', 'prompt', 'content', 'output'] as const

/** Its text, where a field holds one by a usual name; else all of it as JSON. */
export function observedText(observation: Record<string, unknown>): string {
  for (const name of SAYING) {
    const said = observation[name]
    if (typeof said === 'string') return said
  }
  return JSON.stringify(observation)
}

/** `{ message: text }`. @throws UserError for calls of tools: how an environment takes those, nobody knows */
export function messageOf(action: Action): Record<string, unknown> {
  if (action.kind === 'text') return { message: action.text }
  throw new UserError(
    `the agent calls tools (${actionText(action)}): give openEnvEnvironment an \`action\` that says how this environment takes them`,
    2,
  )
}
