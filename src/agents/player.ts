import type { Player } from '../core/index.ts'
import type { ChatMessage, ChatModel, ChatOptions } from '../services/index.ts'
import type { Agent } from './agent.ts'

export type { Player }

/** A chat model that writes its actions as text, in an agent's format: for services without tool calls. */
export function textPlayer(model: ChatModel, agent: Agent, options: ChatOptions = {}): Player {
  return {
    name: `${model.name}, as text`,
    async act(view) {
      const messages = agent
        .playMessages(view)
        .map(({ role, content }): ChatMessage => ({ role: role === 'tool' ? 'user' : role, content }))
      const { text } = await model.complete(messages, options)
      return agent.parseAction(text).action
    },
  }
}
