/** A reward behind HTTP, for a trainer in another language. */
import type { Hono } from 'hono'
import { z } from 'zod'
import type { Agent } from '../agents/index.ts'
import type { Prediction, WorldModelReward } from '../rewards/index.ts'
import { bodyOf, checkedApp } from './checked-app.ts'
import { ApiError } from './errors.ts'
import { parseBody } from './fields.ts'
import { REWARD_LIMITS } from './limits.ts'

export interface RewardService {
  reward: WorldModelReward
  /** Reads a completion as it is read in training. */
  agent: Pick<Agent, 'name' | 'parsePrediction'>
  /** What requests have to bring; absent: nothing. */
  key?: string | null
  log(line: string): void
}

const text = z.string().max(REWARD_LIMITS.text)

/** As a trainer has it: a text, or the messages of a reply. */
const completion = z.union([text, z.array(z.looseObject({ role: z.string(), content: text.nullish() })).min(1)], {
  error: 'must be a text, or a list of messages with role and content',
})

const list = <T extends z.ZodType>(of: T) => z.array(of).max(REWARD_LIMITS.completions)

const bodySchema = z
  .strictObject({
    completions: list(completion).min(1),
    ground_truth: list(text),
    answered_by: list(z.enum(['environment', 'user', 'tool'])).nullish(),
    /** No reward of ours looks at it. */
    prompts: z.unknown().optional(),
  })
  .refine(({ completions, ground_truth: truths }) => truths.length === completions.length, {
    path: ['ground_truth'],
    error: 'must have as many entries as completions',
  })
  .refine(({ completions, answered_by: who }) => !who || who.length === completions.length, {
    path: ['answered_by'],
    error: 'must have as many entries as completions',
  })

/** Requests that are being scored: what ends has to wait for them. */
export class OpenRequests {
  private readonly works = new Set<Promise<unknown>>()

  get count(): number {
    return this.works.size
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.count >= REWARD_LIMITS.requests) {
      throw new ApiError(
        429,
        `${this.count} requests are being scored, at most ${REWARD_LIMITS.requests} can: try again`,
        {
          code: 'rate_limit_exceeded',
          retryAfter: REWARD_LIMITS.retryAfter,
        },
      )
    }
    const promise = work()
    this.works.add(promise)
    return promise.finally(() => this.works.delete(promise))
  }

  /** Once none is open. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.works)
  }
}

export function createRewardApp({ reward, agent, key = null, log }: RewardService, open: OpenRequests): Hono {
  const app = checkedApp({ body: REWARD_LIMITS.body, key, open: ['/health'], log })
  app.get('/health', (context) => context.json({ status: 'ok', reward: reward.name, agent: agent.name }))
  app.post('/v1/rewards', async (context) => {
    const began = performance.now()
    const body = parseBody(bodySchema, await bodyOf(context))
    const predictions = body.completions.map((one, i): Prediction => {
      const reply = typeof one === 'string' ? one : (one[one.length - 1].content ?? '')
      return {
        predicted: agent.parsePrediction(reply).nextState,
        actual: body.ground_truth[i],
        from: body.answered_by?.[i] ?? 'environment',
      }
    })
    const scores = await open.during(() => reward.score(predictions))
    log(`POST ${context.req.path} 200, ${predictions.length} completions, ${Math.round(performance.now() - began)} ms`)
    return context.json({
      reward: reward.name,
      rewards: scores.map((score) => score.reward),
      parsed: predictions.map(({ predicted }) => predicted !== null),
    })
  })
  return app
}
