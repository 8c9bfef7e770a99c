import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Agent, askedTransitions } from '../agents/index.ts'
import { type Trajectory, type Transition, UserError } from '../core/index.ts'
import { trajectorySchema } from '../environments/index.ts'
import { type RunFolder, readLines } from '../store/index.ts'

const useSchema = z.object({ id: z.string(), use: z.enum(['train', 'filter', 'none']) })

/** What a run collected, read back from its folder: with histories, and what each transition is used for. */
export interface StoredCollection {
  trajectories: Trajectory[]
  train: Transition[]
  filter: Transition[]
}

/** @throws UserError where collection has not finished, or its files do not fit together. */
export function readCollected(run: RunFolder, agent: Pick<Agent, 'target'>): StoredCollection {
  const folder = join(run.path, 'rollouts')
  if (!existsSync(run.transitionsFile)) {
    throw new UserError(`${run.path} has no transitions.jsonl: let the run finish collecting (--resume) first`)
  }
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /^collect-\d+\.jsonl$/.test(name)) : []
  const trajectories = files.sort().flatMap((name) => readLines(join(folder, name), trajectorySchema))
  const useOf = new Map(readLines(run.transitionsFile, useSchema).map(({ id, use }) => [id, use]))
  const transitions = trajectories.flatMap((one) => askedTransitions(agent, one))
  const of = (use: string) => transitions.filter((one) => useOf.get(one.id) === use)
  const stored = { trajectories, train: of('train'), filter: of('filter') }
  const wanted = [...useOf.values()].filter((use) => use === 'train').length
  if (stored.train.length !== wanted) {
    throw new UserError(
      `${folder}: its collect-*.jsonl hold ${stored.train.length} of the ${wanted} training transitions that transitions.jsonl names; restore them`,
    )
  }
  if (wanted === 0) throw new UserError(`${run.path} holds no training transition: there is nothing to look at`)
  return stored
}
