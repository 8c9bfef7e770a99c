import { UserError } from '../core/index.ts'
import type { ModelConfig } from './local/config.ts'

/** `what` names the tokens in messages. @throws UserError for tokens that are not the model's, or too many of them */
export function checkTokens(tokens: readonly number[], what: string, config: ModelConfig): void {
  const { vocab_size: size, max_position_embeddings: limit } = config
  if (tokens.length > limit) {
    throw new UserError(`${what} has ${tokens.length} tokens; this model's context is ${limit}: shorten it`)
  }
  const wrong = tokens.find((token) => !(token >= 0 && token < size))
  if (wrong !== undefined) {
    throw new UserError(
      `${what}: token ${wrong} is not in the vocabulary of ${size}: is this the model's own tokenizer?`,
    )
  }
}
