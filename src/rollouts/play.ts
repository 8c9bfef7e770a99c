import type { Agent, View } from '../agents/index.ts'
import { hash32, type PastTurn, type Task, type Trajectory, type Turn, UserError } from '../core/index.ts'
import type { Sampler } from '../engines/index.ts'
import type { Environment, Episode } from '../environments/index.ts'
import { type ChatFormat, Conversation } from '../tokens/index.ts'

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
  /** Longest wait for one environment step, milliseconds. */
  stepDeadline?: number
  signal?: AbortSignal
  onStep?: (state: { playing: number; finished: number }) => void
}

interface Running {
  slot: Slot
  seed: number
  episode: Episode
  conversation: Conversation
  turns: Turn[]
  history: PastTurn[]
  reward?: number
  done: boolean
  truncated: boolean
}

const STEP_DEADLINE = 60_000

/**
 * Play a wave: a fixed list of episodes, all at once, one batch of replies a step. The result is a pure function of the
 * slots, the seed and the weights; an interrupted wave is played again from its beginning.
 */
export async function playWave(slots: Slot[], options: PlayOptions): Promise<Trajectory[]> {
  const { environment, agent, format, sampler } = options
  await sampler.reset()
  const running: Running[] = []
  for (const slot of slots) {
    const seed = hash32(options.seed, slot.task.id, slot.sample)
    const episode = await environment.open(slot.task, { seed, maxSteps: options.maxSteps })
    running.push({
      slot,
      seed,
      episode,
      conversation: new Conversation(format),
      turns: [],
      history: [],
      done: false,
      truncated: false,
    })
  }
  for (let step = 0; ; step++) {
    const playing = running.filter((one) => !one.done && !one.truncated)
    options.onStep?.({ playing: playing.length, finished: running.length - playing.length })
    if (playing.length === 0) break
    options.signal?.throwIfAborted()
    const prompts = playing.map((one) => one.conversation.prompt(agent.playMessages(viewOf(one, agent.showsActions))))
    cutOff(playing, prompts, sampler.contextLength - options.maxTokens)
    const open = playing.flatMap((one, i) => (one.truncated ? [] : [{ one, prompt: prompts[i] }]))
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
    for (const [i, { one }] of open.entries()) {
      const { tokens, logprobs } = samples[i][0]
      await advance(one, tokens, logprobs, agent, options.stepDeadline ?? STEP_DEADLINE)
    }
  }
  return running.map(trajectoryOf)
}

function viewOf(one: Running, withActions: boolean): View {
  const { task } = one.slot
  const actions = withActions ? one.episode.actions?.() : undefined
  return {
    instruction: task.instruction,
    tools: task.tools,
    initial: one.episode.initial,
    history: one.history,
    actions,
  }
}

/** An episode whose prompt leaves no room for a reply ends here, truncated: nothing is cut out of what the model sees. */
function cutOff(playing: Running[], prompts: number[][], room: number): void {
  for (const [i, one] of playing.entries()) {
    if (prompts[i].length <= room) continue
    if (one.turns.length === 0) {
      throw new UserError(
        `task ${one.slot.task.id}: its first prompt has ${prompts[i].length} tokens, but only ${room} fit the model's context beside a reply; use a model with a longer context or a smaller maxTokens`,
      )
    }
    one.truncated = true
  }
}

async function advance(one: Running, tokens: number[], logprobs: number[], agent: Agent, deadline: number) {
  const reply = one.conversation.accept(tokens, logprobs)
  const parsed = agent.parseAction(reply)
  // A reply without an action still takes a step: the environment answers it as it answers any unknown command.
  const action = parsed.action ?? { kind: 'text' as const, text: '' }
  const result = await withDeadline(
    one.episode.step(action),
    deadline,
    () => `task ${one.slot.task.id}: the environment did not answer step ${one.turns.length + 1} within ${deadline} ms`,
  )
  one.turns.push({
    reply,
    action: parsed.action,
    observation: result.observation,
    valid: parsed.action !== null && result.valid,
    tokens,
    logprobs,
  })
  one.history.push({ reply, action: parsed.action, observation: result.observation })
  if (result.reward !== undefined) one.reward = result.reward
  one.done = result.done
  one.truncated = result.truncated
}

/** Every wait has a deadline and says what it waited for. */
async function withDeadline<T>(value: T | Promise<T>, deadline: number, what: () => string): Promise<T> {
  if (!(value instanceof Promise)) return value
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UserError(what())), deadline)
  })
  try {
    return await Promise.race([value, late])
  } finally {
    clearTimeout(timer)
  }
}

function trajectoryOf(one: Running): Trajectory {
  const { slot, episode, turns, reward, done, truncated } = one
  return {
    task: slot.task,
    sample: slot.sample,
    seed: one.seed,
    initial: episode.initial,
    turns,
    reward,
    done,
    truncated,
    sequences: one.conversation.sequences(),
  }
}
