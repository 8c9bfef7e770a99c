import { type Action, observationText } from '../core/index.ts'
import { TAU2_GREETING } from '../environments/index.ts'
import type { ChatMessage, ChatModel, ChatOptions } from '../services/index.ts'
import type { View } from './agent.ts'
import type { Player } from './player.ts'
import { tau2SoloPrompt, tau2SystemPrompt } from './tau2-instructions.ts'

/** τ²-bench played by a chat model with tool calls of its own, asked exactly as upstream asks. */
export function tau2Player(model: ChatModel, options: ChatOptions = {}): Player {
  return {
    name: model.name,
    async act(view): Promise<Action | null> {
      const { text, toolCalls } = await model.complete(tau2Messages(view), { ...options, tools: view.tools })
      if (toolCalls.length > 0) return { kind: 'tools', calls: toolCalls, ...(text === '' ? {} : { text }) }
      return text.trim() === '' ? null : { kind: 'text', text }
    },
  }
}

/** A view as messages of OpenAI's protocol. */
export function tau2Messages({ instruction, initial, history }: View): ChatMessage[] {
  const messages: ChatMessage[] =
    initial.from === 'environment'
      ? [{ role: 'system', content: tau2SoloPrompt(instruction, initial.text) }]
      : [
          { role: 'system', content: tau2SystemPrompt(instruction) },
          { role: 'assistant', content: TAU2_GREETING },
          { role: 'user', content: observationText(initial) },
        ]
  for (const { action, observation } of history) {
    if (action?.kind === 'text') messages.push({ role: 'assistant', content: action.text })
    if (action?.kind === 'tools')
      messages.push({ role: 'assistant', content: action.text ?? '', toolCalls: action.calls })
    if (observation.from !== 'tool') messages.push({ role: 'user', content: observation.text })
    else for (const { id, content } of observation.results) messages.push({ role: 'tool', toolCallId: id, content })
  }
  return messages
}
