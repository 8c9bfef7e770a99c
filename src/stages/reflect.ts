import { join } from 'node:path'
import { z } from 'zod'
import { parseReflection, reflectionMessages } from '../agents/index.ts'
import { hash32, someAtOnce, transitionsOf } from '../core/index.ts'
import { type ChatModel, isConversationFailure } from '../services/index.ts'
import { JsonLines } from '../store/index.ts'
import type { AlternativesAt } from './alternatives.ts'
import { asked } from './asked.ts'
import { free } from './plan.ts'
import { need, type Stage } from './stage.ts'

export interface ReflectOptions {
  /** A strong model: what it writes is learned word for word. */
  model: ChatModel
  /** Default `reflect`. */
  name?: string
  /** Default 1. */
  temperature?: number
  /** Of one reflection, the model's own thoughts included. Default 1024. */
  maxTokens?: number
  /** Questions at once. Default 8. */
  concurrency?: number
}

const lineSchema = z.object({ id: z.string(), reflection: z.string().nullable(), cost: z.number() })

/**
 * Why what the expert did is better than what the model would have done, in the words of a strong model (self-reflection; method,
 * section 6). Asked once in each state where there is something to compare with; an answer in another form than was asked for is
 * no reflection, and counted. Every answer is on the disk at once.
 */
export function reflectStage({ model, concurrency = 8, ...options }: ReflectOptions): Stage {
  const { name = 'reflect', temperature = 1, maxTokens = 1024 } = options
  return {
    name,
    title: `Reflections of ${model.name}`,
    options: { model: model.name, temperature, maxTokens },
    async run(context, artifacts) {
      const expert = need(artifacts.expert, name, 'expert')
      const alternatives = need(artifacts.alternatives, name, 'alternatives')
      const { transitions } = asked(context, expert)
      // What the strong model sees is what happened; masks are for labels.
      const shown = new Map(expert.flatMap(transitionsOf).map((one) => [one.id, one]))
      const open = transitions.filter(({ id }) => (alternatives.get(id)?.tried.length ?? 0) > 0)
      const stored = new JsonLines(join(context.run.stageFolder(name), 'reflections.jsonl'), lineSchema)
      try {
        const known = new Map([...stored].map((line) => [line.id, line]))
        context.progress.start('reflections', open.length)
        await someAtOnce(
          open.filter(({ id }) => !known.has(id)),
          concurrency,
          context.signal,
          async (one) => {
            const tried = alternatives.get(one.id) as AlternativesAt
            const asks = { temperature, maxTokens, seed: hash32(context.config.seed, 'reflect', one.id) >>> 1 }
            const { text, cost } = await model
              .complete(reflectionMessages(shown.get(one.id) ?? one, tried.tried), asks)
              .catch((error: unknown) => {
                // Refused, or all of it thoughts: another state may fare better.
                if (isConversationFailure(error, known.size > 0)) return { text: '', cost: 0 }
                throw error
              })
            const line = { id: one.id, reflection: parseReflection(text), cost }
            stored.append([line])
            known.set(one.id, line)
            context.progress.update(known.size)
          },
        )
        context.progress.finish()
        const lines = open.flatMap(({ id }) => known.get(id) ?? [])
        artifacts.reflections = new Map(
          lines.flatMap(({ id, reflection }) => (reflection === null ? [] : [[id, reflection]])),
        )
        const cost = lines.reduce((sum, line) => sum + line.cost, 0)
        return {
          notes: [
            `${artifacts.reflections.size} reflections of ${model.name} in ${open.length} states${cost > 0 ? `, $${cost.toFixed(2)}` : ''}`,
            ...(artifacts.reflections.size < lines.length
              ? [
                  `${lines.length - artifacts.reflections.size} answers were refused, or in another form than was asked for`,
                ]
              : []),
          ],
        }
      } finally {
        stored.close()
      }
    },
    plan(_, { turns }, { expert = 0 }) {
      return free(`at most ${Math.round(expert * turns)} questions to ${model.name}: as fast as it answers`)
    },
  }
}
