import type { ChatAnswer, ChatMessage, ChatModel, ChatOptions } from '../index.ts'

/** A model that says these things in turn, the last one again and again, and keeps what it was asked. */
export function modelThatSays(
  ...answers: (Partial<ChatAnswer> | Error)[]
): ChatModel & { asked: [ChatMessage[], ChatOptions][] } {
  const asked: [ChatMessage[], ChatOptions][] = []
  return {
    name: 'actor',
    asked,
    async complete(messages, options = {}) {
      asked.push([[...messages], options])
      const answer = answers[Math.min(asked.length, answers.length) - 1]
      if (answer instanceof Error) throw answer
      return {
        text: '',
        reasoning: '',
        toolCalls: [],
        finishReason: 'stop',
        usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
        usageEstimated: false,
        cost: 0,
        cached: false,
        ...answer,
      }
    },
  }
}
