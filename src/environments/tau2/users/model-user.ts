import type { ChatMessage, ChatModel, ChatOptions } from '../../../services/index.ts'
import type { Message, Spoken } from '../protocol/message.ts'
import { type Guidelines, userPrompt } from './prompt.ts'
import type { UserSession, UserSetting, UserSimulator } from './user.ts'

export interface ModelUserOptions extends Pick<ChatOptions, 'temperature' | 'maxTokens'> {
  guidelines: Guidelines
}

/**
 * A user played by a chat model, with upstream's prompt: the model is the assistant of a conversation in which the agent is the
 * user. Temperature 0 as upstream has it; the seed is the conversation's own, and each attempt at a turn has another.
 */
export function modelUser(
  model: ChatModel,
  { guidelines, temperature = 0, maxTokens }: ModelUserOptions,
): UserSimulator {
  return {
    name: model.name,
    open({ scenario, tools, seed }: UserSetting): UserSession {
      const system: ChatMessage = { role: 'system', content: userPrompt(guidelines, scenario, tools !== null) }
      return {
        async speak(heard, attempt = 0): Promise<Spoken> {
          const options: ChatOptions = { temperature, maxTokens, seed: seed + attempt, tools: tools ?? undefined }
          const { text, toolCalls } = await model.complete([system, ...flipped(heard)], options)
          return { content: text, calls: toolCalls }
        },
      }
    },
  }
}

/** As the user's model sees it: its own words as the assistant's, the agent's as the user's. */
function flipped(heard: readonly Message[]): ChatMessage[] {
  return heard.map((message): ChatMessage => {
    if (message.role === 'tool') return { role: 'tool', toolCallId: message.id, content: message.content }
    const content = message.content ?? ''
    if (message.role === 'assistant') return { role: 'user', content }
    return message.calls.length > 0
      ? { role: 'assistant', content, toolCalls: message.calls }
      : { role: 'assistant', content }
  })
}
