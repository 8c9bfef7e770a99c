import { z } from 'zod'
import type { ChatMessage, ChatModel, ChatOptions } from '../../../services/index.ts'
import { repr } from '../python/number.ts'
import type { NlJudge, NlVerdict } from './nl.ts'

/**
 * What upstream asks its judge, word for word and with its indentation, for verdicts hang on it: from
 * github.com/sierra-research/tau2-bench (src/tau2/evaluator/evaluator_nl_assertions.py), Copyright Sierra Research, MIT licence.
 */
const SYSTEM = `
        TASK
        - You will be given a list of expected outcomes and a conversation that was collected during a test case run.
        - The conversation is between an agent and a customer.
        - Your job is to evaluate whether the agent satisfies each of the expected outcomes.
        - Grade each expected outcome individually.

        FORMAT
        - Your response should be a JSON object with the following fields:
        - \`reasoning\`: a short explanation for your classification
        - \`metExpectation\`: \`true\` if the agent satisfies the expected outcomes, \`false\` otherwise
        - \`expectedOutcome\`: repeat the expectation from the input that you are grading
        
        Example response structure:
        {
            "results": [
                {
                    "expectedOutcome": "<one of the expected outcomes from the input>",
                    "reasoning": "<reasoning trace>",
                    "metExpectation": <false or true>,
                }
            ]
        }
        `

const answerSchema = z.object({
  results: z.array(z.object({ expectedOutcome: z.string(), reasoning: z.string(), metExpectation: z.boolean() })),
})

/** Attempts after the first at a verdict that cannot be read. */
const RETRIES = 3

/** A judge's answers could not be read: the conversation has no result. */
export class UnreadableVerdict extends Error {
  constructor(judge: string) {
    super(`the judge ${judge} gave no verdict that can be read, after ${RETRIES + 1} tries`)
    this.name = 'UnreadableVerdict'
  }
}

/**
 * A chat model as judge of assertions in words. It has to decide on every one of them: upstream counts a conversation as right
 * where its judge returns an empty list.
 */
export function modelJudge(model: ChatModel, { maxTokens }: Pick<ChatOptions, 'maxTokens'> = {}): NlJudge {
  return {
    async judge(conversation, outcomes) {
      const messages: ChatMessage[] = [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: request(conversation, outcomes) },
      ]
      for (let seed = 0; seed <= RETRIES; seed++) {
        const { text } = await model.complete(messages, { temperature: 0, seed, maxTokens })
        const verdicts = readVerdicts(text)
        if (verdicts && verdicts.length >= outcomes.length) return verdicts
      }
      throw new UnreadableVerdict(model.name)
    },
  }
}

function request(conversation: string, outcomes: readonly string[]): string {
  return `
        conversation:
        ${conversation}
        
        expectedOutcomes:
        ${repr([...outcomes])}
        `
}

/** The first JSON object of an answer, which may stand in a fence. */
function readVerdicts(text: string): NlVerdict[] | null {
  try {
    const { data } = answerSchema.safeParse(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)))
    return (
      data?.results.map(({ expectedOutcome, reasoning, metExpectation }) => ({
        outcome: expectedOutcome,
        met: metExpectation,
        reason: reasoning,
      })) ?? null
    )
  } catch {
    return null
  }
}
