import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Observation, type Task, type Trajectory, UserError } from '../../core/index.ts'
import { hashOf, readLines } from '../../store/index.ts'
import type { Environment } from '../environment.ts'
import { trajectorySchema } from '../schema.ts'

const FILE = /^recorded-(.+)\.jsonl$/

/** Where the trajectories of a split lie in a folder of imported logs. */
export function recordedFile(folder: string, split: string): string {
  return join(folder, 'rollouts', `recorded-${split}.jsonl`)
}

/**
 * Conversations that `rwml import` wrote to a folder, as an environment: its trajectories are there already, and none can
 * be played. Everything but policy RL runs on it. The name holds a hash of what was read, so that a run is not resumed on
 * other logs.
 * @throws UserError where the folder holds no imported logs.
 */
export function recordedEnvironment(folder: string): Environment {
  const rollouts = join(folder, 'rollouts')
  const splits = existsSync(rollouts) ? readdirSync(rollouts).flatMap((name) => FILE.exec(name)?.[1] ?? []) : []
  if (splits.length === 0) {
    throw new UserError(`${folder} holds no imported logs: "rwml import LOGS.jsonl --out ${folder}" makes them`)
  }
  const recorded = new Map(splits.map((split) => [split, readLines(recordedFile(folder, split), trajectorySchema)]))
  const of = (split: string): Trajectory[] => recorded.get(split) ?? []
  return {
    name: `logs ${hashOf([...recorded]).slice(0, 8)}`,
    splits: () => splits,
    tasks: (split) => tasksOf(of(split)),
    recorded: of,
    open(task) {
      throw new UserError(`task ${task.id} was recorded and cannot be played: leave policy RL out of the method`)
    },
    transitionKind: ({ next }) => answerKind(next),
  }
}

function tasksOf(trajectories: readonly Trajectory[]): Task[] {
  return [...new Map(trajectories.map(({ task }) => [task.id, task])).values()]
}

/** `user`, or `tool:` and the names of the tools that answered. */
export function answerKind(next: Observation): string {
  if (next.from !== 'tool') return next.from
  return `tool:${[...new Set(next.results.map(({ name }) => name))].sort().join('+')}`
}
