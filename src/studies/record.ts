import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { FORGETTING_FILE, forgettingSchema } from '../benchmarks/index.ts'
import { type EpisodeResult, type EvaluationResult, evaluationFileSchema, MAIN_THRESHOLD } from '../evaluation/index.ts'
import { stageFileSchema } from '../reports/index.ts'
import { WEIGHT_CHANGES_FILE, weightChangesSchema } from '../stages/index.ts'
import { hashOf, RunFolder, readJson } from '../store/index.ts'
import type { StudyRun } from './plan.ts'
import { labelsOf, type Tree } from './tree.ts'

/** In place of 0 and 1: the episode broke for a reason that is not the agent's. */
export const BROKEN = '-'

const policySchema = z.object({
  /** One string an evaluation run: 1 where the task was solved, - where its episode broke; tasks in the order of their names. */
  solved: z.array(z.string().regex(/^[01-]*$/)),
  /** Of the tasks themselves: seeds with the same hash played the same ones. */
  tasks: z.string(),
  invalidShare: z.number(),
  grounding: z.number().nullable(),
  stepsPerSolved: z.number().nullable(),
})

const worldModelSchema = z.object({
  exact: z.number(),
  rewarded: z.number(),
  byKind: z.record(z.string(), z.object({ transitions: z.int(), exact: z.number() })),
})

const unit = z.enum(['share', 'number'])

const armSchema = z.object({
  /** Its name in the evaluation: that of an arm, or `…, step N` for a point of its curve. */
  arm: z.string(),
  /** By split; an evaluation beside the first one is named before it: `games unseen`. */
  policy: z.record(z.string(), policySchema),
  worldModel: z.record(z.string(), worldModelSchema),
  /** The first measure of every benchmark, by its title, where a stage measures forgetting. */
  benchmarks: z
    .record(z.string(), z.object({ measure: z.string(), value: z.number(), unit, better: z.enum(['up', 'down']) }))
    .optional(),
})

/** When it ran is no part of what it left. */
const stageSchema = stageFileSchema.omit({ startedAt: true })

const weightsSchema = z.object({
  /** Names of arms. */
  from: z.string(),
  to: z.string(),
  /** Share of weights that moved, of all, and by layer and module. */
  moved: z.number(),
  cells: z.array(z.object({ layer: z.int(), module: z.string(), moved: z.number() })),
})

/** All that tables and figures are made of, of one run: small enough to be kept where its gigabytes are not. */
export const recordSchema = z.object({
  world: z.string(),
  seed: z.int(),
  version: z.string(),
  machine: z.string(),
  environment: z.string(),
  model: z.object({ name: z.string(), parameters: z.number() }),
  stages: z.array(stageSchema),
  /** For every arm of the run: its name in the evaluation, and the stages that it would need alone. */
  ends: z.array(z.object({ arm: z.string(), evaluated: z.string(), paysFor: z.array(z.string()) })),
  /** Stages that another run of the study had done. */
  taken: z.array(z.string()),
  baselines: z.record(z.string(), z.number()),
  arms: z.array(armSchema),
  weights: z.array(weightsSchema).optional(),
})

export type StudyRecord = z.infer<typeof recordSchema>
export type RecordedArm = z.infer<typeof armSchema>
export type RecordedScore = NonNullable<RecordedArm['benchmarks']>[string]
export type RecordedWeights = z.infer<typeof weightsSchema>

const takenSchema = z.array(z.string())
/** Where a run notes what it took over. */
export const takenFile = (run: string): string => join(run, 'taken.json')

/** The record of a finished run. */
export function recordOf(path: string, { world, seed }: StudyRun): StudyRecord {
  const run = RunFolder.open(path)
  const info = run.readInfo()
  const arms = new Map<string, RecordedArm>()
  const baselines: Record<string, number> = {}
  for (const { name, options } of world.tree.stages) {
    const file = name === 'evaluate' ? run.evaluationFile : join(run.stageFolder(name), 'evaluation.json')
    if (!existsSync(file)) continue
    const prefix = name === 'evaluate' ? '' : `${name} `
    const evaluation = readJson(file, evaluationFileSchema)
    for (const one of evaluation.worldModelBaselines) baselines[`${prefix}${one.split}: ${one.predictor}`] = one.exact
    const tasks = tasksOf(evaluation)
    for (const { arm, policy, worldModel } of evaluation.arms) {
      const record = arms.get(arm) ?? { arm, policy: {}, worldModel: {} }
      arms.set(arm, record)
      for (const { split, episodes, successByRun, invalidShare, grounding, stepsPerSolved } of policy) {
        const ids = tasks.get(split)!
        record.policy[prefix + split] = {
          solved: successByRun.map((_, run) =>
            solvedOf(
              episodes.filter((one) => one.run === run),
              ids,
            ),
          ),
          tasks: hashOf({
            ids,
            // Generated households have the same names for every seed, and are each seed's own.
            set: options.environment === undefined ? info.begunWith[`set of tasks in "${split}"`] : undefined,
          }).slice(0, 16),
          invalidShare,
          grounding,
          stepsPerSolved,
        }
      }
      for (const { split, exact, rewarded, byKind } of worldModel) {
        const kinds = Object.entries(byKind).map(([kind, { transitions, exact }]) => [kind, { transitions, exact }])
        record.worldModel[prefix + split] = { exact, rewarded, byKind: Object.fromEntries(kinds) }
      }
    }
  }
  for (const [arm, benchmarks] of benchmarksOf(run, world.tree)) {
    const record = arms.get(arm) ?? { arm, policy: {}, worldModel: {} }
    arms.set(arm, { ...record, benchmarks })
  }
  const weights = weightsOf(run, world.tree)
  return {
    world: world.name,
    seed,
    version: info.version,
    machine: `${info.machine.cores} cores (${info.machine.cpu})`,
    environment: info.environment,
    model: { name: info.model.name, parameters: info.model.parameters },
    stages: world.tree.stages.map(({ name }) => stageOf(run, world.tree, name)),
    ends: world.tree.ends.map(({ arm, evaluated, paysFor }) => ({ arm, evaluated, paysFor })),
    taken: existsSync(takenFile(path)) ? readJson(takenFile(path), takenSchema) : [],
    baselines,
    arms: [...arms.values()],
    ...(weights.length > 0 && { weights }),
  }
}

/** A digit a task of one evaluation run. */
function solvedOf(episodes: readonly EpisodeResult[], ids: readonly string[]): string {
  const solved = new Map(episodes.map((one) => [one.taskId, one.solved ? '1' : '0']))
  return ids.map((id) => solved.get(id) ?? BROKEN).join('')
}

/** Names of all tasks of each split that any arm played, in order: an episode that broke is in no list of its arm. */
function tasksOf({ arms }: EvaluationResult): Map<string, string[]> {
  const found = new Map<string, Set<string>>()
  for (const { split, episodes } of arms.flatMap(({ policy }) => policy)) {
    const ids = found.get(split) ?? new Set()
    found.set(split, ids)
    for (const { taskId } of episodes) ids.add(taskId)
  }
  return new Map([...found].map(([split, ids]) => [split, [...ids].sort()]))
}

/** A stage's own record. One that was taken over names the arms of the run that it comes from. */
function stageOf(run: RunFolder, { ends }: Tree, name: string): StudyRecord['stages'][number] {
  const record = readJson(join(run.stageFolder(name), 'stage.json'), stageSchema)
  const end = ends.find((one) => one.end === name)
  return end && record.arms?.length ? { ...record, arms: labelsOf(end) } : record
}

/** The first measure of every benchmark, by arm: the one that arms are compared by. */
function benchmarksOf(run: RunFolder, { stages }: Tree): Map<string, Record<string, RecordedScore>> {
  const found = new Map<string, Record<string, RecordedScore>>()
  for (const { name } of stages) {
    const file = join(run.stageFolder(name), FORGETTING_FILE)
    if (!existsSync(file)) continue
    for (const { arm, results } of readJson(file, forgettingSchema).arms) {
      const scores = results.flatMap(({ title, measures: [first] }): [string, RecordedScore][] => {
        if (!first || first.value === null) return []
        const { name: measure, value, unit, better } = first
        return [[title, { measure, value, unit, better }]]
      })
      found.set(arm, { ...found.get(arm), ...Object.fromEntries(scores) })
    }
  }
  return found
}

/** How far each stage moved the weights, by names of arms. */
function weightsOf(run: RunFolder, { stages, ends }: Tree): RecordedWeights[] {
  const armAt = (stage: string) => ends.find(({ end }) => end === stage)?.evaluated ?? stage
  return stages.flatMap(({ name }) => {
    const file = join(run.stageFolder(name), WEIGHT_CHANGES_FILE)
    if (!existsSync(file)) return []
    return readJson(file, weightChangesSchema).map(({ from, to, change: { all, cells } }) => ({
      from: armAt(from),
      to: armAt(to),
      moved: all.moved[MAIN_THRESHOLD],
      cells: cells.map(({ layer, module, moved }) => ({ layer, module, moved: moved[MAIN_THRESHOLD] })),
    }))
  })
}
