import { type Agent, turnsToOmit, type View } from '../agents/index.ts'
import { type Observation, type PastTurn, type Task, UserError } from '../core/index.ts'
import type { ChatFormat, Conversation } from '../tokens/index.ts'

/** An episode as it has been talked about so far. */
export interface Talk {
  task: Task
  initial: Observation
  history: PastTurn[]
  conversation: Conversation
  /** Turns at the beginning that were left out of the last prompt that had to be shortened. */
  omitted: number
  /** Prompts that had to be. */
  shortened: number
}

/**
 * The tokens to reply to. Where they leave no room for a reply, whole turns are left out, the oldest first. Null: not even the
 * task and the current observation fit, and neither is ever cut.
 * @param actions admissible commands, for an agent that shows them
 * @throws UserError where that is so at the first prompt.
 */
export function nextPrompt(
  talk: Talk,
  agent: Agent,
  format: ChatFormat,
  room: number,
  actions: string[] | undefined,
): number[] | null {
  const { task, initial, conversation, history } = talk
  const viewOf = (omitted: number): View => ({
    instruction: task.instruction,
    tools: task.tools,
    initial,
    history: history.slice(omitted),
    omitted,
    actions,
  })
  const messages = (omitted: number) => agent.playMessages(viewOf(omitted))
  const tools = agent.playTools?.(viewOf(0))
  const whole = conversation.promptWithin(messages(0), room, tools)
  if (whole !== null) return whole
  // As at the step before: a conversation that grows goes on growing from where it was shortened.
  let prompt = talk.omitted > 0 ? conversation.promptWithin(messages(talk.omitted), room, tools) : null
  if (prompt === null) {
    const length = (omitted: number) => format.tokenizer.encode(format.promptText(messages(omitted), { tools })).length
    const omitted = turnsToOmit(history.length, (some) => length(some) <= room)
    if (omitted === null && history.length === 0) {
      throw new UserError(
        `task ${task.id}: its first prompt has ${length(0)} tokens, but only ${Math.max(0, room)} fit the model's context beside a reply; use a model with a longer context or a smaller maxTokens`,
      )
    }
    if (omitted === null) return null
    talk.omitted = omitted
    prompt = conversation.promptWithin(messages(omitted), room, tools)
  }
  talk.shortened++
  return prompt
}
