import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Trajectory, type Transition, transitionsOf, UserError } from '../core/index.ts'
import { observationSchema, trajectorySchema } from '../environments/index.ts'
import { type RunFolder, readLines } from '../store/index.ts'

/** `next` is what the model was asked for: it may differ from what followed (`Agent.target`). */
const lineSchema = z.object({ id: z.string(), next: observationSchema, use: z.enum(['train', 'filter', 'none']) })

/** Collected play, or that of imported logs. */
const PLAY = /^(?:collect-[\w-]+|recorded-train)\.jsonl$/

/** What a run collected, read back from its folder: with histories, and what each transition is used for. */
export interface StoredCollection {
  trajectories: Trajectory[]
  train: Transition[]
  filter: Transition[]
}

/** @throws UserError where collection has not finished, or its files do not fit together. */
export function readCollected(run: RunFolder): StoredCollection {
  const folder = join(run.path, 'rollouts')
  if (!existsSync(run.transitionsFile)) {
    throw new UserError(`${run.path} has no transitions.jsonl: let the run finish collecting (--resume) first`)
  }
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => PLAY.test(name)) : []
  const trajectories = files.sort().flatMap((name) => readLines(join(folder, name), trajectorySchema))
  const lines = new Map(readLines(run.transitionsFile, lineSchema).map((line) => [line.id, line]))
  const transitions = trajectories
    .flatMap(transitionsOf)
    .map((one): Transition => ({ ...one, next: lines.get(one.id)?.next ?? one.next }))
  const of = (use: string) => transitions.filter((one) => lines.get(one.id)?.use === use)
  const stored = { trajectories, train: of('train'), filter: of('filter') }
  const wanted = [...lines.values()].filter(({ use }) => use === 'train').length
  if (stored.train.length !== wanted) {
    throw new UserError(
      `${folder}: its files of collected play hold ${stored.train.length} of the ${wanted} training transitions that transitions.jsonl names; restore them`,
    )
  }
  if (wanted === 0) throw new UserError(`${run.path} holds no training transition: there is nothing to look at`)
  return stored
}
