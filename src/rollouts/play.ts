import type { Agent } from '../agents/index.ts'
import { hash32, type Task, type Trajectory, type Turn } from '../core/index.ts'
import type { Sample, Sampler } from '../engines/index.ts'
import type { Environment } from '../environments/index.ts'
import { type ChatFormat, Conversation } from '../tokens/index.ts'
import { GuardedEpisode } from './guarded-episode.ts'
import { nextPrompt, type Talk } from './next-prompt.ts'
import { BEGUN, type Standing, standingAfter } from './standing.ts'

/** One episode to play: which task, and which attempt at it. */
export interface Slot {
  task: Task
  sample: number
}

export interface PlayOptions {
  environment: Environment
  agent: Agent
  format: ChatFormat
  sampler: Sampler
  /** Distinguishes the draws of this wave from those of any other: seed, stage and step go in here. */
  seed: number
  temperature: number
  /** Steps until an episode is truncated. */
  maxSteps: number
  /** Tokens of one reply at most. */
  maxTokens: number
  /** Longest wait for the environment to open an episode or to answer a step, milliseconds. */
  stepDeadline?: number
  signal?: AbortSignal
  onStep?: (state: { playing: number; finished: number }) => void
}

interface Running extends Talk {
  sample: number
  seed: number
  episode: GuardedEpisode
  turns: Turn[]
  outgrown: boolean
  standing: Standing
}

/**
 * Play a wave: a fixed list of episodes, as many at once as the environment can have, one batch of replies a step. The result is
 * a pure function of the slots, the seed and the weights; an interrupted wave is played again from its beginning.
 * @throws UserError where an environment breaks its word, or a first prompt does not fit the model's context.
 */
export async function playWave(slots: Slot[], options: PlayOptions): Promise<Trajectory[]> {
  await options.sampler.reset()
  const { concurrent = slots.length } = options.environment
  const trajectories: Trajectory[] = []
  for (let at = 0; at < slots.length; at += concurrent) {
    const running: Running[] = []
    try {
      for (const slot of slots.slice(at, at + concurrent)) running.push(await begin(slot, options))
      await playTogether(running, at, options)
    } finally {
      await Promise.all(running.map(({ episode }) => episode.close()))
    }
    trajectories.push(...running.map(trajectoryOf))
  }
  return trajectories
}

async function begin({ task, sample }: Slot, options: PlayOptions): Promise<Running> {
  const { environment, format, maxSteps, stepDeadline: deadline, signal } = options
  const seed = hash32(options.seed, task.id, sample)
  const episode = await GuardedEpisode.open(environment, task, { seed, maxSteps }, { deadline, signal })
  return {
    task,
    sample,
    seed,
    episode,
    initial: episode.initial,
    conversation: new Conversation(format),
    turns: [],
    history: [],
    omitted: 0,
    shortened: 0,
    outgrown: false,
    standing: BEGUN,
  }
}

/** @param before episodes of the wave that are over already */
async function playTogether(running: readonly Running[], before: number, options: PlayOptions): Promise<void> {
  const { agent, format, sampler, maxSteps } = options
  for (let step = 0; ; step++) {
    const playing = running.filter(({ standing }) => !standing.done && !standing.truncated)
    options.onStep?.({ playing: playing.length, finished: before + running.length - playing.length })
    if (playing.length === 0) break
    options.signal?.throwIfAborted()
    const open = playing.flatMap((one) => {
      const actions = agent.showsActions ? one.episode.actions() : undefined
      const prompt = nextPrompt(one, agent, format, sampler.contextLength - options.maxTokens, actions)
      if (prompt !== null) return [{ one, prompt }]
      one.outgrown = true
      one.standing = { ...one.standing, truncated: true }
      return []
    })
    const samples = await sampler.sample(
      open.map(({ prompt }) => prompt),
      {
        n: 1,
        maxTokens: options.maxTokens,
        temperature: options.temperature,
        stop: format.stop,
        seed: open.map(({ one }) => hash32(one.seed, step)),
      },
    )
    // All at once: an environment behind a service answers the whole wave in the time of its slowest episode.
    await Promise.all(open.map(({ one }, i) => advance(one, samples[i][0], agent, maxSteps)))
  }
}

async function advance(one: Running, { tokens, logprobs }: Sample, agent: Agent, maxSteps: number): Promise<void> {
  const reply = one.conversation.accept(tokens, logprobs)
  const parsed = agent.parseAction(reply)
  // A reply without an action still takes a step: the environment answers it as it answers any unknown command.
  const result = await one.episode.step(parsed.action ?? { kind: 'text', text: '' })
  one.turns.push({
    reply,
    action: parsed.action,
    observation: result.observation,
    hidden: result.hidden,
    valid: parsed.action !== null && result.valid,
    tokens,
    logprobs,
  })
  one.history.push({ reply, action: parsed.action, observation: result.observation })
  one.standing = standingAfter(one.standing, result, one.turns.length, maxSteps)
}

function trajectoryOf(one: Running): Trajectory {
  const { task, sample, seed, initial, episode, turns, standing, shortened, outgrown } = one
  return {
    task,
    sample,
    seed,
    initial,
    hidden: episode.hidden,
    turns,
    ...standing,
    shortened,
    outgrown,
    sequences: one.conversation.sequences(),
  }
}
