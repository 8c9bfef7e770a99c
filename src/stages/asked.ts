import { askedTransitions } from '../agents/index.ts'
import type { Trajectory, Transition } from '../core/index.ts'
import { canBeAsked } from '../evaluation/index.ts'
import type { StageContext } from './context.ts'

/**
 * What the model is asked about some play. A transition whose current observation and action alone do not fit the model's
 * context is left out and counted: neither is ever cut.
 */
export function asked(
  { agent, format, trainer, config }: Pick<StageContext, 'agent' | 'format' | 'trainer' | 'config'>,
  trajectories: readonly Trajectory[],
): { transitions: Transition[]; tooLong: number } {
  const { contextLength } = trainer.sampler()
  const { maxTokens } = config.worldModel
  const all = trajectories.flatMap((one) => askedTransitions(agent, one))
  const transitions = all.filter((one) => canBeAsked(agent, format, one, { contextLength, maxTokens }))
  return { transitions, tooLong: all.length - transitions.length }
}
