import { type Agent, turnsToOmit, type View } from '../agents/index.ts'
import { hash32, type PastTurn, type Task, type Trajectory, type Turn, UserError } from '../core/index.ts'
import type { Sample, Sampler } from '../engines/index.ts'
import type { Environment } from '../environments/index.ts'
import { type ChatFormat, Conversation } from '../tokens/index.ts'
import { GuardedEpisode } from './guarded-episode.ts'
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

interface Running {
  slot: Slot
  seed: number
  episode: GuardedEpisode
  conversation: Conversation
  turns: Turn[]
  history: PastTurn[]
  /** Turns at the beginning that were left out of the last prompt that had to be shortened. */
  omitted: number
  shortened: number
  outgrown: boolean
  standing: Standing
}

/**
 * Play a wave: a fixed list of episodes, all at once, one batch of replies a step. The result is a pure function of the
 * slots, the seed and the weights; an interrupted wave is played again from its beginning.
 * @throws UserError where an environment breaks its word, or a first prompt does not fit the model's context.
 */
export async function playWave(slots: Slot[], options: PlayOptions): Promise<Trajectory[]> {
  const { environment, agent, format, sampler, maxSteps, stepDeadline: deadline, signal } = options
  await sampler.reset()
  const running: Running[] = []
  for (const slot of slots) {
    const seed = hash32(options.seed, slot.task.id, slot.sample)
    running.push({
      slot,
      seed,
      episode: await GuardedEpisode.open(environment, slot.task, { seed, maxSteps }, { deadline, signal }),
      conversation: new Conversation(format),
      turns: [],
      history: [],
      omitted: 0,
      shortened: 0,
      outgrown: false,
      standing: BEGUN,
    })
  }
  for (let step = 0; ; step++) {
    const playing = running.filter(({ standing }) => !standing.done && !standing.truncated)
    options.onStep?.({ playing: playing.length, finished: running.length - playing.length })
    if (playing.length === 0) break
    options.signal?.throwIfAborted()
    const open = playing.flatMap((one) => {
      const prompt = nextPrompt(one, agent, format, sampler.contextLength - options.maxTokens)
      return prompt === null ? [] : [{ one, prompt }]
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
  return running.map(trajectoryOf)
}

/**
 * The tokens to reply to. Where they leave no room for a reply, whole turns are left out, the oldest first. Null ends the
 * episode: not even the task and the current observation fit, and neither is ever cut.
 */
function nextPrompt(one: Running, agent: Agent, format: ChatFormat, room: number): number[] | null {
  const { slot, episode, conversation, history } = one
  const actions = agent.showsActions ? episode.actions() : undefined
  const viewOf = (omitted: number): View => {
    return {
      instruction: slot.task.instruction,
      tools: slot.task.tools,
      initial: episode.initial,
      history: history.slice(omitted),
      omitted,
      actions,
    }
  }
  const messages = (omitted: number) => agent.playMessages(viewOf(omitted))
  const tools = agent.playTools?.(viewOf(0))
  const whole = conversation.promptWithin(messages(0), room, tools)
  if (whole !== null) return whole
  // As at the step before: a conversation that grows goes on growing from where it was shortened.
  let prompt = one.omitted > 0 ? conversation.promptWithin(messages(one.omitted), room, tools) : null
  if (prompt === null) {
    const length = (omitted: number) => format.tokenizer.encode(format.promptText(messages(omitted), { tools })).length
    const omitted = turnsToOmit(history.length, (some) => length(some) <= room)
    if (omitted === null && history.length === 0) {
      throw new UserError(
        `task ${slot.task.id}: its first prompt has ${length(0)} tokens, but only ${Math.max(0, room)} fit the model's context beside a reply; use a model with a longer context or a smaller maxTokens`,
      )
    }
    if (omitted === null) {
      one.outgrown = true
      one.standing = { ...one.standing, truncated: true }
      return null
    }
    one.omitted = omitted
    prompt = conversation.promptWithin(messages(omitted), room, tools)
  }
  one.shortened++
  return prompt
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
  const { slot, episode, turns, standing, shortened, outgrown } = one
  return {
    task: slot.task,
    sample: slot.sample,
    seed: one.seed,
    initial: episode.initial,
    hidden: episode.hidden,
    turns,
    ...standing,
    shortened,
    outgrown,
    sequences: one.conversation.sequences(),
  }
}
