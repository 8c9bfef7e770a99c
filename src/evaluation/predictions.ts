import { type Agent, turnsToOmit } from '../agents/index.ts'
import {
  actionText,
  actionVerb,
  hash32,
  observationText,
  type TokenSequence,
  type Transition,
  UserError,
} from '../core/index.ts'
import type { Sampler } from '../engines/index.ts'
import type { Score, WorldModelReward } from '../rewards/index.ts'
import type { ChatFormat } from '../tokens/index.ts'
import { scorePredictions } from './scores.ts'

/** One answer of a model asked for the next state. */
export interface Prediction {
  /** What was asked; the same array for all answers to it. */
  prompt: number[]
  /** Oldest turns left out of the prompt because they did not fit the model's context. */
  omitted: number
  tokens: number[]
  logprobs: number[]
  thinking: string | null
  nextState: string | null
}

export interface PredictOptions {
  agent: Agent
  format: ChatFormat
  sampler: Sampler
  /** Answers a transition. */
  n: number
  temperature: number
  maxTokens: number
  seed: number
  reasoning: boolean
}

/**
 * The prompt that asks what follows a transition's action. Where it has more than `room` tokens, whole turns are left out, the
 * oldest first; task, current observation and action never are.
 * @throws UserError where those alone do not fit.
 */
export function predictionPrompt(
  agent: Agent,
  format: ChatFormat,
  transition: Transition,
  { reasoning, room }: { reasoning: boolean; room: number },
): { tokens: number[]; omitted: number } {
  const { history } = transition
  const prompt = (omitted: number) => {
    const shown = { ...transition, history: history.slice(omitted) }
    return format.tokenizer.encode(format.promptText(agent.predictMessages(shown, { reasoning, omitted })))
  }
  const whole = prompt(0)
  if (whole.length <= room) return { tokens: whole, omitted: 0 }
  const omitted = turnsToOmit(history.length, (some) => prompt(some).length <= room)
  if (omitted !== null) return { tokens: prompt(omitted), omitted }
  throw new UserError(
    `transition ${transition.id}: its prompt has ${prompt(Math.max(0, history.length - 1)).length} tokens without any earlier step, but only ${Math.max(0, room)} fit the model's context beside an answer; use a model with a longer context or a smaller maxTokens`,
  )
}

/**
 * Whether a model with that context can be asked what follows a transition's action, or taught it as a label: the task, the
 * current observation and the action fit beside an answer of `maxTokens`, or beside what really followed.
 */
export function canBeAsked(
  agent: Agent,
  format: ChatFormat,
  transition: Transition,
  { contextLength, maxTokens }: { contextLength: number; maxTokens: number },
): boolean {
  const omitted = Math.max(0, transition.history.length - 1)
  const shown = { ...transition, history: transition.history.slice(omitted) }
  const prompts = [true, false].map((reasoning) =>
    format.promptText(agent.predictMessages(shown, { reasoning, omitted })),
  )
  const label = agent.predictionLabel(transition)
  // No token is less than a byte: mostly there is nothing to encode.
  const most = Math.max(...prompts.map((text) => Buffer.byteLength(text)))
  if (most + Math.max(maxTokens, Buffer.byteLength(label) + END_OF_REPLY) <= contextLength) return true
  const longest = Math.max(...prompts.map((text) => format.tokenizer.encode(text).length))
  return longest + Math.max(maxTokens, format.replyTokens(label).length) <= contextLength
}

/** More than the tokens that end a reply in any template. */
const END_OF_REPLY = 16

/** `result[i]` holds the n answers for transition i; each draw depends on the transition's id and the seed alone. */
export async function predict(transitions: Transition[], options: PredictOptions): Promise<Prediction[][]> {
  const { agent, format, sampler } = options
  const room = sampler.contextLength - options.maxTokens
  const prompts = transitions.map((one) => predictionPrompt(agent, format, one, { reasoning: options.reasoning, room }))
  const samples = await sampler.sample(
    prompts.map(({ tokens }) => tokens),
    {
      n: options.n,
      maxTokens: options.maxTokens,
      temperature: options.temperature,
      stop: format.stop,
      seed: transitions.map((one) => hash32(options.seed, one.id)),
    },
  )
  return samples.map((group, i) =>
    group.map(({ tokens, logprobs }) => ({
      prompt: prompts[i].tokens,
      omitted: prompts[i].omitted,
      tokens,
      logprobs,
      ...agent.parsePrediction(format.replyText(tokens)),
    })),
  )
}

export type ScoredPrediction = Prediction & Score

/** The same with each answer's reward against what really followed. */
export async function predictAndScore(
  transitions: Transition[],
  options: PredictOptions,
  reward: WorldModelReward,
): Promise<ScoredPrediction[][]> {
  const groups = await predict(transitions, options)
  const scores = await scorePredictions(
    reward,
    groups.flatMap((group, i) => group.map(({ nextState }) => ({ transition: transitions[i], predicted: nextState }))),
  )
  return groups.map((group, i) => group.map((answer, j) => ({ ...answer, ...scores[i * options.n + j] })))
}

/** Prompt and answer as one sequence to learn from. */
export function answerSequence({ prompt, tokens, logprobs }: Prediction): TokenSequence {
  const zeros = prompt.map(() => 0)
  return {
    tokens: [...prompt, ...tokens],
    mask: [...zeros, ...tokens.map(() => 1)],
    logprobs: [...zeros, ...logprobs],
  }
}

/** What really followed as a label, after `thinking` where there is some: one sequence to learn from by supervision. */
export function labelSequence(
  agent: Agent,
  format: ChatFormat,
  transition: Transition,
  contextLength: number,
  thinking?: string,
): TokenSequence & { omitted: number } {
  const label = format.replyTokens(agent.predictionLabel(transition, thinking))
  const room = contextLength - label.length
  const { tokens: prompt, omitted } = predictionPrompt(agent, format, transition, {
    reasoning: thinking !== undefined,
    room,
  })
  const mask = [...prompt.map(() => 0), ...label.map(() => 1)]
  return { tokens: [...prompt, ...label], mask, logprobs: mask.map(() => 0), omitted }
}

/**
 * Baselines that a world model has to beat: each maps a transition to a predicted next state.
 * @param agent whose transitions these are: what it asks for in place of what followed is what a copy has to be too
 */
export function baselinePredictors(
  training: Transition[],
  agent: Pick<Agent, 'target'> = {},
): Record<string, (transition: Transition) => string | null> {
  const verb = (transition: Transition) => actionVerb(transition.action)
  const last = (transition: Transition) => transition.history.at(-1)?.observation ?? transition.initial
  const current = (transition: Transition) => observationText(last(transition))
  const counts = new Map<string, Map<string, number>>()
  const byAction = new Map<string, Transition[]>()
  for (const one of training) {
    const next = observationText(one.next)
    const seen = counts.get(verb(one)) ?? new Map<string, number>()
    counts.set(verb(one), seen.set(next, (seen.get(next) ?? 0) + 1))
    const action = actionText(one.action)
    byAction.set(action, [...(byAction.get(action) ?? []), one])
  }
  const words = (text: string) => new Set(text.split(/\s+/))
  const overlap = (a: Set<string>, b: Set<string>) => {
    const shared = [...a].filter((word) => b.has(word)).length
    return shared / (a.size + b.size - shared || 1)
  }
  return {
    'copy last observation': (transition) => observationText(agent.target?.(last(transition)) ?? last(transition)),
    'most frequent for verb': (transition) => {
      const seen = [...(counts.get(verb(transition)) ?? [])]
      return seen.length === 0 ? null : seen.reduce((best, one) => (one[1] > best[1] ? one : best))[0]
    },
    // Nearest: the same action where it occurs, then the most similar current observation (share of common words).
    'nearest training transition': (transition) => {
      const candidates = byAction.get(actionText(transition.action)) ?? training
      if (candidates.length === 0) return null
      const here = words(current(transition))
      const score = (one: Transition) =>
        overlap(words(current(one)), here) +
        overlap(words(actionText(one.action)), words(actionText(transition.action)))
      let best = candidates[0]
      let bestScore = score(best)
      for (const one of candidates) {
        const value = score(one)
        if (value > bestScore) {
          best = one
          bestScore = value
        }
      }
      return observationText(best.next)
    },
  }
}
