/** What an agent does in one step: a text command (ALFWorld), or tool calls with an optional message (tool agents). */
export type Action = { kind: 'text'; text: string } | { kind: 'tools'; calls: ToolCall[]; text?: string }

export interface ToolCall {
  id: string
  name: string
  /** JSON text of the arguments, exactly as the agent wrote it. */
  arguments: string
}

/** A call that another party made with tools of its own, and what it got: recorded, and never shown to the agent. */
export interface HiddenCall extends ToolCall {
  content: string
  error?: boolean
}

/** One line of text that stands for an action in histories and prompts. */
export function actionText(action: Action): string {
  if (action.kind === 'text') return action.text
  const calls = action.calls.map((call) => `${call.name}(${call.arguments})`).join('; ')
  return action.text ? `${action.text} ${calls}` : calls
}

/** What sort of action it is: a command's first word, or the names of the tools called. */
export function actionVerb(action: Action): string {
  if (action.kind === 'text') return action.text.trim().split(/\s/, 1)[0]
  return action.calls.map((call) => call.name).join(' ')
}
