import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { evaluationFileSchema } from '../../src/evaluation/index.ts'
import { RunFolder, readJson } from '../../src/store/index.ts'

const policySchema = z.object({
  /** One string an evaluation run: 1 where the task was solved, tasks in the order of their names. */
  solved: z.array(z.string().regex(/^[01]+$/)),
  invalidShare: z.number(),
  grounding: z.number().nullable(),
})

const armSchema = z.object({
  arm: z.string(),
  /** By split: `unseen` of generated households, `games seen`, `games unseen`. */
  policy: z.record(z.string(), policySchema),
  worldModel: z.record(
    z.string(),
    z.object({
      exact: z.number(),
      byKind: z.record(z.string(), z.object({ transitions: z.int(), exact: z.number() })),
    }),
  ),
})

/** What is kept of one seed's run: all that the tables and figures are made of. */
export const seedSchema = z.object({
  seed: z.int(),
  commit: z.string(),
  machine: z.string(),
  stages: z.array(
    z.object({
      name: z.string(),
      seconds: z.number(),
      tokensSampled: z.number(),
      tokensTrained: z.number(),
      notes: z.array(z.string()),
    }),
  ),
  baselines: z.record(z.string(), z.number()),
  arms: z.array(armSchema),
})

export type SeedRecord = z.infer<typeof seedSchema>
export type ArmRecord = z.infer<typeof armSchema>

const stageSchema = z.object({
  name: z.string(),
  seconds: z.number(),
  tokensSampled: z.number(),
  tokensTrained: z.number(),
  notes: z.array(z.string()),
})

/** The record of a finished run of the study's method. */
export function recordOf(path: string, stages: readonly string[], seed: number, commit: string): SeedRecord {
  const run = RunFolder.open(path)
  const info = run.readInfo()
  const evaluations: [string, string][] = [['', run.evaluationFile]]
  const games = join(run.stageFolder('games'), 'evaluation.json')
  if (existsSync(games)) evaluations.push(['games ', games])
  const arms = new Map<string, ArmRecord>()
  const baselines: Record<string, number> = {}
  for (const [prefix, file] of evaluations) {
    const evaluation = readJson(file, evaluationFileSchema)
    for (const one of evaluation.worldModelBaselines) baselines[`${prefix}${one.split}: ${one.predictor}`] = one.exact
    for (const { arm, policy, worldModel } of evaluation.arms) {
      const record = arms.get(arm) ?? { arm, policy: {}, worldModel: {} }
      arms.set(arm, record)
      for (const { split, episodes, successByRun, invalidShare, grounding } of policy) {
        const ordered = [...episodes].sort((a, b) => (a.taskId < b.taskId ? -1 : a.taskId > b.taskId ? 1 : 0))
        const solved = successByRun.map((_, index) =>
          ordered
            .filter(({ run }) => run === index)
            .map((episode) => (episode.solved ? '1' : '0'))
            .join(''),
        )
        record.policy[prefix + split] = { solved, invalidShare, grounding }
      }
      for (const { split, exact, byKind } of worldModel) {
        const kinds = Object.entries(byKind).map(([kind, { transitions, exact }]) => [kind, { transitions, exact }])
        record.worldModel[prefix + split] = { exact, byKind: Object.fromEntries(kinds) }
      }
    }
  }
  return {
    seed,
    commit,
    machine: `${info.machine.cores} cores (${info.machine.cpu})`,
    stages: stages.map((name) => readJson(join(run.stageFolder(name), 'stage.json'), stageSchema)),
    baselines,
    arms: [...arms.values()],
  }
}
