import type { Agent } from '../agents/index.ts'
import type { TokenSequence, Trajectory } from '../core/index.ts'
import type { Environment } from '../environments/index.ts'
import { type ChatFormat, Conversation } from '../tokens/index.ts'
import { nextPrompt, type Talk } from './next-prompt.ts'
import { reopen } from './reopen.ts'

export interface DemonstrateOptions {
  environment: Environment
  agent: Agent
  format: ChatFormat
  contextLength: number
  /** Tokens of one reply at most, in play. */
  maxTokens: number
  signal?: AbortSignal
}

/** A state of a trajectory as the agent would have been asked what to do in it. */
export interface AskedState {
  /** Which turn of the trajectory. */
  turn: number
  prompt: number[]
}

export interface Demonstration {
  states: AskedState[]
  /** The conversation with the trajectory's own replies in place of sampled ones, their tokens trained on, the end of each turn included. */
  sequences: TokenSequence[]
  /** Prompts whose oldest turns were left out. */
  shortened: number
  /** Actions at the end that are not shown, because not even their observation fits the context. */
  outgrown: number
}

/**
 * A trajectory as if the agent had played it: asked in each state exactly as in play, with its replies given. One sequence where each
 * prompt extends the last, several where it does not. Turns without an action are only history. Null where the agent is
 * shown admissible commands and the environment does not answer as the trajectory says, so that they cannot be known.
 */
export async function demonstrate(
  trajectory: Trajectory,
  { environment, agent, format, contextLength, maxTokens, signal }: DemonstrateOptions,
): Promise<Demonstration | null> {
  const { task, initial, turns } = trajectory
  const admissible: (string[] | undefined)[] = []
  // What was recorded elsewhere cannot be played, and lists no commands.
  if (agent.showsActions && !environment.recorded) {
    const visit = (episode: { actions(): string[] | undefined }) => admissible.push(episode.actions())
    const episode = await reopen(environment, trajectory, { steps: turns.length - 1, signal, visit })
    if (!episode) return null
    await episode.close()
  }
  const conversation = new Conversation(format)
  const talk: Talk = { task, initial, history: [], conversation, omitted: 0, shortened: 0 }
  const states: AskedState[] = []
  let outgrown = 0
  for (const [turn, { reply, action, observation }] of turns.entries()) {
    if (action !== null) {
      const tokens = format.replyTokens(reply)
      const room = contextLength - Math.max(maxTokens, tokens.length)
      const prompt = outgrown > 0 ? null : nextPrompt(talk, agent, format, room, admissible[turn])
      if (prompt === null) outgrown++
      else {
        conversation.accept(
          tokens,
          tokens.map(() => 0),
        )
        states.push({ turn, prompt })
      }
    }
    talk.history.push({ reply, action, observation })
  }
  return { states, sequences: conversation.sequences(), shortened: talk.shortened, outgrown }
}
