import { z } from 'zod'
import { locatedMessage, type Player, plainIssue, type Task, type Transition, UserError } from '../core/index.ts'
import type { Environment } from './environment.ts'
import { HELD_OUT } from './held-out.ts'
import { overlaid } from './overlaid.ts'
import { actionSchema, taskSchema } from './schema.ts'

const splitsSchema = z.array(z.string().min(1)).min(1)

/**
 * Anybody's environment, held to its word in all but its episodes (`GuardedEpisode` does that): what it throws or gives
 * wrongly is one line that names the member. Above all, no task that is trained on may be called held out.
 */
export function guarded(environment: Environment): Environment {
  const { name, concurrent } = environment
  if (concurrent !== undefined && !(Number.isSafeInteger(concurrent) && concurrent >= 1)) {
    throw new UserError(`the environment ${name}: concurrent must be a whole number from 1 on, not ${concurrent}`)
  }
  const looked = new Set<string>()
  const ask = <T>(member: string, call: () => T): T => {
    try {
      return call()
    } catch (error) {
      if (error instanceof UserError) throw error
      const failure = new UserError(`the environment ${name}: ${member} failed: ${locatedMessage(error)}`)
      failure.cause = error
      throw failure
    }
  }
  const shaped = <T>(member: string, schema: z.ZodType<T>, call: () => unknown): T => {
    const { success, data, error } = schema.safeParse(ask(member, call))
    if (success) return data
    throw new UserError(`the environment ${name}: ${member} is not as it should be: ${plainIssue(error.issues[0])}`)
  }
  const splits = () => shaped('splits()', splitsSchema, () => environment.splits())
  const tasks = (split: string): Task[] => {
    const member = `tasks("${split}")`
    // Checked once a split: a list may have thousands of tasks and is asked for again and again.
    if (looked.has(split)) return ask(member, () => environment.tasks(split))
    const list = shaped(member, z.array(taskSchema), () => environment.tasks(split))
    checkIds(name, split, list)
    looked.add(split)
    if ((HELD_OUT as readonly string[]).includes(split) && splits().includes('train')) {
      const trained = new Set(tasks('train').map(({ id }) => id))
      const both = list.find(({ id }) => trained.has(id))
      if (both) {
        throw new UserError(
          `the environment ${name}: task "${both.id}" is in "train" and in "${split}": what is trained on is not held out; give held-out tasks of their own`,
        )
      }
    }
    return list
  }
  const told = <T>(member: string, schema: z.ZodType<T>, call: (one: Transition) => unknown) => {
    return (one: Transition) => shaped(`${member}(transition ${one.id})`, schema, () => call(one))
  }
  const instead: Partial<Environment> = { splits, tasks }
  const { planner, transitionKind, grounded: isGrounded } = environment
  if (planner) {
    const player = planner.bind(environment)
    instead.planner = (task, seed) =>
      heldToItsWord(
        ask(`planner(task ${task.id})`, () => player(task, seed)),
        name,
        task,
      )
  }
  if (transitionKind) instead.transitionKind = told('transitionKind', z.string(), transitionKind.bind(environment))
  if (isGrounded) instead.grounded = told('grounded', z.boolean().nullable(), isGrounded.bind(environment))
  return overlaid(environment, instead)
}

/** A planner that throws, or does what is no action, is named with its task. */
function heldToItsWord(player: Player, name: string, task: Task): Player {
  const where = `the environment ${name}: its planner, at the task ${task.id}`
  return {
    name: player.name,
    async act(view) {
      let given: unknown
      try {
        given = await player.act(view)
      } catch (error) {
        if (error instanceof UserError) throw error
        const failure = new UserError(`${where}, failed: ${locatedMessage(error)}`)
        failure.cause = error
        throw failure
      }
      const { success, data, error } = actionSchema.nullable().safeParse(given)
      if (success) return data
      throw new UserError(`${where}, does what is no action: ${plainIssue(error.issues[0])}`)
    },
  }
}

function checkIds(name: string, split: string, tasks: readonly Task[]): void {
  const ids = new Set<string>()
  for (const task of tasks) {
    if (task.split !== split) {
      throw new UserError(
        `the environment ${name}: task "${task.id}" of tasks("${split}") says its split is "${task.split}"`,
      )
    }
    if (ids.has(task.id)) {
      throw new UserError(`the environment ${name}: two tasks of "${split}" have the id "${task.id}": seeds hang on it`)
    }
    ids.add(task.id)
  }
}
