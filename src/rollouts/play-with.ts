import { inspect } from 'node:util'
import type { Player, View } from '../agents/index.ts'
import { type Action, hash32, type PastTurn, someAtOnce, type Task, type Trajectory, type Turn } from '../core/index.ts'
import type { Environment } from '../environments/index.ts'
import { isConversationFailure } from '../services/index.ts'
import { GuardedEpisode } from './guarded-episode.ts'
import type { Slot } from './play.ts'
import { BEGUN, standingAfter } from './standing.ts'

export interface PlayWithOptions {
  environment: Environment
  /** A new one for each attempt: a player may remember what it did. */
  player(task: Task, seed: number): Player
  seed: number
  maxSteps: number
  /** Episodes at once. */
  concurrency: number
  /** Attempts after the first at an episode that broke for a reason that is not the agent's, or in which it said nothing. */
  retries: number
  stepDeadline?: number
  signal?: AbortSignal
  /** After each finished episode, in the order in which they finish. */
  onEpisode?(trajectory: Trajectory): void
}

/**
 * Episodes played by something that is not trained: services, scripts. Each is a pure function of slot and seed as far as its
 * player and its environment are. An episode that breaks is begun again, and in the end is `failed`: neither a success nor a
 * failure of the agent, and never left out. What would break all others too ends them all.
 * @returns in the order of the slots
 * @throws what a player or an environment throws, once no episode goes on any more
 */
export async function playWith(slots: readonly Slot[], options: PlayWithOptions): Promise<Trajectory[]> {
  const trajectories = new Array<Trajectory>(slots.length)
  const { concurrent = options.concurrency } = options.environment
  await someAtOnce(slots, Math.min(options.concurrency, concurrent), options.signal, async (slot, at, stopped) => {
    trajectories[at] = await playSlot(slot, options, stopped)
    options.onEpisode?.(trajectories[at])
  })
  return trajectories
}

async function playSlot(slot: Slot, options: PlayWithOptions, stopped: AbortSignal): Promise<Trajectory> {
  for (let attempt = 0; ; attempt++) {
    stopped.throwIfAborted()
    const trajectory = await playOnce(slot, attempt, options, stopped)
    if (trajectory.failed === undefined || attempt >= options.retries) return trajectory
  }
}

async function playOnce(
  slot: Slot,
  attempt: number,
  options: PlayWithOptions,
  stopped: AbortSignal,
): Promise<Trajectory> {
  const { environment, maxSteps, stepDeadline: deadline, signal } = options
  const { task, sample } = slot
  const first = hash32(options.seed, task.id, sample)
  const seed = attempt === 0 ? first : hash32(first, 'again', attempt)
  const player = options.player(task, seed)
  const episode = await GuardedEpisode.open(environment, task, { seed, maxSteps }, { deadline, signal })
  try {
    const played = await playEpisode(episode, player, slot, maxSteps, stopped)
    return { seed, ...played, facts: { ...played.facts, player: player.name, attempts: attempt + 1 } }
  } finally {
    await episode.close()
  }
}

async function playEpisode(
  episode: GuardedEpisode,
  player: Player,
  { task, sample }: Slot,
  maxSteps: number,
  stopped: AbortSignal,
): Promise<Omit<Trajectory, 'seed'>> {
  const turns: Turn[] = []
  const history: PastTurn[] = []
  let standing = BEGUN
  while (!standing.done && !standing.truncated) {
    stopped.throwIfAborted()
    const view: View = {
      instruction: task.instruction,
      tools: task.tools,
      initial: episode.initial,
      history,
      actions: episode.actions(),
    }
    const action = await acted(player, view)
    stopped.throwIfAborted()
    if (typeof action === 'string') {
      standing = { ...standing, failed: action, truncated: true }
      break
    }
    const result = await episode.step(action)
    const { observation, hidden, valid } = result
    // What a player wrote is its action: there are no tokens to keep.
    turns.push({ reply: '', action, observation, hidden, valid, tokens: [], logprobs: [] })
    history.push({ reply: '', action, observation })
    standing = standingAfter(standing, result, turns.length, maxSteps)
  }
  return {
    task,
    sample,
    initial: episode.initial,
    hidden: episode.hidden,
    turns,
    ...standing,
    reward: standing.failed === undefined ? standing.reward : undefined,
    sequences: [],
  }
}

/** What a player does; in words, why it does nothing. */
async function acted(player: Player, view: View): Promise<Action | string> {
  try {
    const action = await player.act(view)
    return action ? written(action) : `${player.name} neither said nor did anything`
  } catch (error) {
    if (isConversationFailure(error, view.history.length > 0)) return error.message
    throw error
  }
}

/** Arguments that are no text as text that nobody takes for JSON: an environment answers it, and it can be kept. */
function written(action: Action): Action {
  if (action.kind === 'text') return action
  const calls = action.calls.map((call) =>
    typeof call.arguments === 'string' ? call : { ...call, arguments: `not text: ${inspect(call.arguments)}` },
  )
  return { ...action, calls }
}
