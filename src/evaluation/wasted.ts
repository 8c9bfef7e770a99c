import { actionText, observationText, type Trajectory } from '../core/index.ts'

/**
 * Steps that changed nothing. Inadmissible ones; and repeats: an action that was taken before in the episode and is answered by the
 * same words, where nothing new was done or seen since, that is, no step whose action and answer together were not there before.
 * So a way back is no waste, and neither is opening again what was closed for a reason; turning in a circle is, from the second
 * round on. What an environment changes without a word is not seen: a repeat with an effect that shows only later counts as waste.
 */
export function wastedSteps({ turns }: Pick<Trajectory, 'turns'>): boolean[] {
  const lastSeen = new Map<string, number>()
  let lastNew = -1
  return turns.map(({ action, observation, valid }, step) => {
    const pair = `${action ? actionText(action) : ''}\n${observationText(observation)}`
    const before = lastSeen.get(pair)
    lastSeen.set(pair, step)
    if (!valid) return true
    if (before === undefined) lastNew = step
    return before !== undefined && lastNew <= before
  })
}
