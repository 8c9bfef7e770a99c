import { hash32 } from '../core/index.ts'
import { ApiError } from './errors.ts'
import type { CommonSettings } from './fields.ts'
import type { AnswerRequest } from './generation.ts'
import { LIMITS } from './limits.ts'

/**
 * The answers of a request: `n` of each prompt, in the order of the prompts. A prompt's answers hang on the request's seed and
 * on their number, not on the other prompts.
 */
export function answerRequests(
  prompts: readonly { prompt: number[]; maxTokens: number }[],
  { n, seed, temperature, topP, stop }: CommonSettings,
  { echo, alternatives }: Pick<AnswerRequest, 'echo' | 'alternatives'>,
): AnswerRequest[] {
  if (prompts.length * n > LIMITS.answers) {
    throw new ApiError(
      400,
      `${prompts.length} prompts × n ${n} are more than ${LIMITS.answers} answers: send several requests`,
      {
        param: 'n',
      },
    )
  }
  return prompts.flatMap(({ prompt, maxTokens }, i) =>
    Array.from({ length: n }, (_, sample) => ({
      index: i * n + sample,
      prompt,
      echo,
      maxTokens,
      temperature,
      topP,
      seed: hash32(seed, sample),
      stop,
      alternatives,
    })),
  )
}
