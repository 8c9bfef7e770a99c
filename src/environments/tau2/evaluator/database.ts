import type { Domain, DomainData, DomainState } from '../domain.ts'
import { type RecordedCall, Tau2World } from '../environment.ts'
import { PyError } from '../python/errors.ts'
import type { Tau2Task } from '../tasks.ts'

/** The world a task's reference solution leads to, and what of it failed. */
export interface GoldWorld<State extends DomainState> {
  world: Tau2World<State>
  /** `name: message` of every gold action that raised; it changes nothing then, and nobody is told. */
  errors: string[]
}

/**
 * A task's beginning with the gold actions applied. As upstream does it: nothing is synced after them, and
 * their errors are swallowed.
 */
export function goldWorld<State extends DomainState>(
  domain: Domain<State>,
  data: DomainData<State>,
  task: Tau2Task,
): GoldWorld<State> {
  const world = new Tau2World(domain, data)
  world.begin(task.initial)
  const errors: string[] = []
  for (const { party, name, arguments: args } of task.criteria?.actions ?? []) {
    try {
      world.run(party, name, args)
    } catch (error) {
      if (!(error instanceof PyError)) throw error
      errors.push(`${name}: ${error.message}`)
    }
  }
  return { world, errors }
}

/**
 * The world a conversation led to, from its calls alone.
 * @param calls after the task's own history
 * @throws PyError ValueError when a call answers otherwise than it did in the conversation
 */
export function predictedWorld<State extends DomainState>(
  domain: Domain<State>,
  data: DomainData<State>,
  task: Tau2Task,
  calls: Iterable<RecordedCall>,
  solo = false,
): Tau2World<State> {
  const world = new Tau2World(domain, data, solo)
  world.begin(task.initial)
  world.replay(calls)
  return world
}
