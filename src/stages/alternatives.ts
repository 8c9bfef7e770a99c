import { z } from 'zod'
import { actionKey } from '../agents/index.ts'
import { type Action, hash32, someAtOnce, type Trajectory, transitionId } from '../core/index.ts'
import { actionSchema, observationSchema } from '../environments/index.ts'
import { type Demonstration, demonstrate, reopen } from '../rollouts/index.ts'
import type { StageContext } from './context.ts'
import { free, times } from './plan.ts'
import { need, type Stage, startOf } from './stage.ts'
import { storedChunks } from './waves.ts'

/** Trajectories whose states are sampled at once: bounds memory, and what is lost when a run is killed. */
const CHUNK = 16

const lineSchema = z.object({
  /** Of the expert's transition. */
  id: z.string(),
  /** Answers drawn there; 0 where the model could not be asked. */
  drawn: z.int(),
  /** The environment did not come to this state again. */
  lost: z.boolean(),
  tried: z.array(z.object({ reply: z.string(), action: actionSchema, next: observationSchema, valid: z.boolean() })),
})

/** What a model would have done in one state of an expert, each tried out. */
export type AlternativesAt = z.infer<typeof lineSchema>

export interface AlternativesOptions {
  /** Default `alternatives`. */
  name?: string
  /** K: different actions a state at most, none of them the expert's. Default 3. */
  count?: number
  /** Answers that are drawn for them. Default 2 K. */
  draws?: number
  /** Default: as in collection. */
  temperature?: number
  /** Whose alternatives: the name of a stage of the same run, or a model folder. Default: the base model. */
  from?: string
}

/**
 * The model's own alternatives in an expert's states: different actions that it draws there, each done in a fresh episode that was
 * brought to the state by what the expert had done before, from the same seed (implicit world modelling and
 * self-reflection; method, section 6).
 */
export function alternativesStage(options: AlternativesOptions = {}): Stage {
  const { name = 'alternatives', count = 3 } = options
  const draws = options.draws ?? 2 * count
  return {
    name,
    title: 'Its own alternatives in the expert’s states',
    options: { ...options, count, draws },
    async run(context, artifacts) {
      const expert = need(artifacts.expert, name, 'expert')
      const { progress } = context
      const start = startOf(artifacts, name, options.from)
      const temperature = options.temperature ?? context.config.collect.temperature
      const lines: AlternativesAt[] = []
      let loaded = false
      progress.start('alternatives', expert.length)
      let done = 0
      const chunks = storedChunks(context, expert, {
        stage: name,
        name: 'states',
        size: CHUNK,
        schema: lineSchema,
        linesOf: (chunk) => chunk.flatMap((one) => one.turns).filter(({ action }) => action !== null).length,
        async make(chunk) {
          if (!loaded) await context.trainer.loadWeights(start)
          loaded = true
          return tryOut(context, chunk, { count, draws, temperature })
        },
      })
      for await (const { chunk, lines: tried } of chunks) {
        lines.push(...tried)
        done += chunk.length
        progress.update(done)
      }
      progress.finish()
      artifacts.alternatives = new Map(lines.map((line) => [line.id, line]))
      const tried = lines.reduce((sum, line) => sum + line.tried.length, 0)
      const valid = lines.flatMap((line) => line.tried).filter((one) => one.valid).length
      const without = lines.filter((line) => line.tried.length === 0).length
      const lost = lines.filter((line) => line.lost).length
      return {
        notes: [
          `${tried} alternatives, ${valid} of them valid, in ${lines.length - without} of ${lines.length} states`,
          ...(lost > 0 ? [`${lost} states left out: the environment did not come to them again`] : []),
        ],
      }
    },
    plan(_, { turns, episode }, expected) {
      const states = Math.round((expected.expert ?? 0) * turns)
      expected.alternatives = states * count
      const episodes = (states * draws) / Math.max(1, turns)
      const work = `${draws} answers in each of ${states} states, at most ${count} tried out`
      return { ...free(work), ...times(episode, episodes) }
    },
  }
}

async function tryOut(
  context: StageContext,
  chunk: readonly Trajectory[],
  { count, draws, temperature }: { count: number; draws: number; temperature: number },
): Promise<AlternativesAt[]> {
  const { agent, format, trainer, config, environment, signal } = context
  const { maxTokens } = config.collect
  const sampler = trainer.sampler()
  await sampler.reset()
  const { concurrent = Number.POSITIVE_INFINITY } = environment
  const shown = new Array<Demonstration | null>(chunk.length)
  const showing = { environment, agent, format, contextLength: sampler.contextLength, maxTokens, signal }
  await someAtOnce(chunk, concurrent, signal, async (one, at) => {
    shown[at] = await demonstrate(one, showing)
  })
  const asked = chunk.flatMap((trajectory, i) => {
    const prompts = new Map(shown[i]?.states.map(({ turn, prompt }) => [turn, prompt]))
    return trajectory.turns.flatMap(({ action }, turn) => {
      const id = transitionId(trajectory, turn)
      return action === null
        ? []
        : [{ trajectory, turn, action, id, prompt: prompts.get(turn), lost: shown[i] === null }]
    })
  })
  const open = asked.flatMap((one) => (one.prompt ? [{ ...one, prompt: one.prompt }] : []))
  const samples = await sampler.sample(
    open.map(({ prompt }) => prompt),
    {
      n: draws,
      maxTokens,
      temperature,
      stop: format.stop,
      seed: open.map(({ id }) => hash32(config.seed, 'alternatives', id)),
    },
  )
  const drawn = new Map(open.map(({ id }, i) => [id, samples[i].map(({ tokens }) => format.replyText(tokens))]))
  const nothing = (id: string, lost: boolean): AlternativesAt => ({ id, drawn: 0, lost, tried: [] })
  const lines = new Array<AlternativesAt>(asked.length)
  await someAtOnce(asked, concurrent, signal, async ({ trajectory, turn, action, id, lost }, at) => {
    const replies = drawn.get(id)
    lines[at] = replies ? { id, drawn: replies.length, lost, tried: [] } : nothing(id, lost)
    for (const [reply, other] of [...othersThan(action, replies ?? [], agent)].slice(0, count)) {
      const episode = await reopen(environment, trajectory, { steps: turn, signal })
      if (!episode) {
        lines[at] = nothing(id, true)
        return
      }
      try {
        const { observation: next, valid, failed } = await episode.step(other)
        if (failed === undefined) lines[at].tried.push({ reply, action: other, next, valid })
      } finally {
        await episode.close()
      }
    }
  })
  return lines
}

/** The first reply for each action that is not the expert's, in the order they were drawn. */
function othersThan(action: Action, replies: readonly string[], agent: StageContext['agent']): Map<string, Action> {
  const seen = new Set([actionKey(action)])
  const others = new Map<string, Action>()
  for (const reply of replies) {
    const parsed = agent.parseAction(reply).action
    if (parsed === null || seen.has(actionKey(parsed))) continue
    seen.add(actionKey(parsed))
    others.set(reply, parsed)
  }
  return others
}
