import { z } from 'zod'
import { chatMessages } from '../agents/index.ts'
import { allEnded, hash32, type Transition, UserError } from '../core/index.ts'
import { canBeAsked, predictAndScore, scorePredictions } from '../evaluation/index.ts'
import type { WorldModelReward } from '../rewards/index.ts'
import { type ChatModel, isConversationFailure } from '../services/index.ts'
import type { StageContext } from './context.ts'
import { type Artifacts, teacherOf } from './stage.ts'
import { storedChunks } from './waves.ts'

export interface TraceOptions {
  /** A stronger model; or the stage of this run, before this one, whose model is asked (`world-model-rl`). */
  from: ChatModel | string
  /** Predictions of each transition, of which the best counts. Default 4. */
  draws?: number
  /** Default 1. */
  temperature?: number
}

/** Transitions asked about at once: bounds memory, and what is lost when the run is stopped. */
const CHUNK = 64
/** A prediction that earns no more than this is wrong, and so may be the reasoning before it. */
const HALF = 0.5

const lineSchema = z.object({ id: z.string(), thinking: z.string().nullable() })

interface TracesFrom {
  stage: string
  transitions: readonly Transition[]
  reward: WorldModelReward
  traces: TraceOptions
}

/**
 * Reasoning that came before predictions which earned the reward, by the transition's id: labels for WM SFT with reasoning.
 * Transitions that nobody predicted well enough have none. Stored in the stage's folder as it comes.
 */
export async function reasoningTraces(
  context: StageContext,
  artifacts: Artifacts,
  { stage, transitions, reward, traces }: TracesFrom,
): Promise<Map<string, string>> {
  const { progress } = context
  const { from } = traces
  // Said in any case: a run that goes on after the traces were made has learned from it too.
  const teacher = typeof from === 'string' ? teacherOf(artifacts, stage, from) : ''
  let loaded = false
  const found = new Map<string, string>()
  progress.start('reasoning traces', transitions.length)
  const chunks = storedChunks(context, transitions, {
    stage,
    name: 'traces',
    size: CHUNK,
    schema: lineSchema,
    async make(chunk) {
      if (typeof from !== 'string') return askedOf(context, from, chunk, reward, traces)
      if (!loaded) await context.trainer.loadWeights(teacher)
      loaded = true
      return sampled(context, chunk, reward, traces)
    },
  })
  let done = 0
  for await (const { chunk, lines } of chunks) {
    for (const [i, { id, thinking }] of lines.entries()) {
      if (thinking !== null && fits(context, chunk[i], thinking)) found.set(id, thinking)
    }
    done += chunk.length
    progress.update(done, `${found.size} kept`)
  }
  progress.finish()
  if (found.size === 0) {
    throw new UserError(
      `none of ${transitions.length} transitions was predicted with reasoning and earned the reward: there is no trace to learn from; ask a stronger model, or for more draws`,
    )
  }
  return found
}

type Line = z.infer<typeof lineSchema>

/** Predictions of the model that is loaded. */
async function sampled(
  { agent, format, trainer, config }: StageContext,
  chunk: Transition[],
  reward: WorldModelReward,
  { draws = 4, temperature = 1 }: TraceOptions,
): Promise<Line[]> {
  const sampler = trainer.sampler()
  await sampler.reset()
  const groups = await predictAndScore(
    chunk,
    {
      agent,
      format,
      sampler,
      n: draws,
      temperature,
      maxTokens: config.worldModel.maxTokens,
      seed: hash32(config.seed, 'traces'),
      reasoning: true,
    },
    reward,
  )
  return chunk.map(({ id }, i) => {
    const useful = groups[i].filter((one) => one.thinking && one.reward > HALF)
    useful.sort((a, b) => b.reward - a.reward)
    return { id, thinking: useful[0]?.thinking ?? null }
  })
}

/** A chat model is asked again only until it is right: every answer costs. */
async function askedOf(
  { agent, config, signal }: StageContext,
  model: ChatModel,
  chunk: Transition[],
  reward: WorldModelReward,
  { draws = 4, temperature = 1 }: TraceOptions,
): Promise<Line[]> {
  const traceOf = async (transition: Transition): Promise<Line> => {
    const messages = chatMessages(agent.predictMessages(transition, { reasoning: true }))
    for (let draw = 0; draw < draws; draw++) {
      signal.throwIfAborted()
      const seed = hash32(config.seed, 'traces', transition.id, draw) >>> 1
      const options = { temperature, maxTokens: config.worldModel.maxTokens, seed }
      const answer = await model.complete(messages, options).catch((error: unknown) => {
        if (isConversationFailure(error, draw > 0)) return null
        throw error
      })
      if (answer === null) continue
      const { thinking, nextState } = agent.parsePrediction(answer.text)
      // Some services keep thoughts apart.
      const reasoning = thinking || answer.reasoning.trim()
      const [score] = await scorePredictions(reward, [{ transition, predicted: nextState }])
      if (reasoning !== '' && score.reward > HALF) return { id: transition.id, thinking: reasoning }
    }
    return { id: transition.id, thinking: null }
  }
  return allEnded(chunk.map(traceOf))
}

/** Its label can be read back as what it is, and stands in the context beside the question. */
function fits({ agent, format, trainer }: StageContext, transition: Transition, thinking: string): boolean {
  const label = agent.predictionLabel(transition, thinking)
  const read = agent.parsePrediction(label)
  if (read.thinking !== thinking.trim() || read.nextState === null) return false
  const { contextLength } = trainer.sampler()
  return canBeAsked(agent, format, transition, { contextLength, maxTokens: format.replyTokens(label).length })
}
