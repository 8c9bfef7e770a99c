import type { Player } from '../core/index.ts'
import type { ChatMessage, ChatModel, ChatOptions } from '../services/index.ts'
import type { Message } from '../tokens/index.ts'
import type { Agent } from './agent.ts'

export type { Player }

/** An agent's messages for a service. What tools returned stands in user messages: a service's own name the call they answer. */
export function chatMessages(messages: readonly Message[]): ChatMessage[] {
  return messages.map(({ role, content }) => ({ role: role === 'tool' ? 'user' : role, content }))
}

/** A chat model that writes its actions as text, in an agent's format: for services without tool calls. */
export function textPlayer(model: ChatModel, agent: Agent, options: ChatOptions = {}): Player {
  return {
    name: `${model.name}, as text`,
    async act(view) {
      const { text } = await model.complete(chatMessages(agent.playMessages(view)), options)
      return agent.parseAction(text).action
    },
  }
}
