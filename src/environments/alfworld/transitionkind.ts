import { actionText, observationText, type Transition } from '../../core/index.ts'
import { described } from './listing.ts'

/** Kinds of transitions in tables of world-model accuracy. */
export const TRANSITION_KINDS = ['first visit', 'revisit', 'open/close', 'take/put', 'other', 'invalid'] as const
export type TransitionKind = (typeof TRANSITION_KINDS)[number]

/**
 * The kind of a transition, from its action and what the history had shown before.
 *
 * `first visit`: going to a receptacle never described before, so its answer cannot be known. `revisit`: going to or opening
 * one whose contents (or, for going, closed door) the history describes: the answer follows from the history. `open/close`:
 * opening for the first time, and closing.
 */
export function transitionKind({ action, history, initial, valid }: Transition): TransitionKind {
  if (!valid) return 'invalid'
  const command = actionText(action).trim()
  const [verb] = command.split(' ', 1)
  if (verb === 'close') return 'open/close'
  if (verb === 'take' || verb === 'move' || verb === 'put') return 'take/put'
  const target = command.startsWith('go to ') ? command.slice(6) : verb === 'open' ? command.slice(5) : undefined
  if (target === undefined) return 'other'
  const texts = [initial, ...history.map(({ observation }) => observation)].map(observationText)
  const seen = texts.some((text) => {
    const description = described(text)
    return description?.receptacle === target && (verb === 'go' || description.objects !== null)
  })
  if (seen) return 'revisit'
  return verb === 'open' ? 'open/close' : 'first visit'
}
