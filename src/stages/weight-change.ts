import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { weightChange, weightChangeSchema } from '../evaluation/index.ts'
import { readJson, writeJson } from '../store/index.ts'
import { free } from './plan.ts'
import type { Stage } from './stage.ts'

/** What this stage leaves in its folder. */
export const WEIGHT_CHANGES_FILE = 'weight-changes.json'

export const weightChangesSchema = z.array(z.object({ from: z.string(), to: z.string(), change: weightChangeSchema }))

/** How far the stage `to` moved the weights that it started from. */
export type StageChange = z.infer<typeof weightChangesSchema>[number]

/**
 * How far every training stage before it moved the weights it started from (method, section 7): of a study with all arms these are
 * the five pairs of the paper. It only reads the checkpoints: seconds for billions of weights, milliseconds for the miniature's.
 */
export function weightChangeStage(): Stage {
  return {
    name: 'weight-change',
    title: 'How far the weights moved',
    options: {},
    async run(context, artifacts) {
      const path = join(context.run.stageFolder('weight-change'), WEIGHT_CHANGES_FILE)
      const { models } = artifacts
      const folderOf = (from: string) => models.get(from) ?? from
      // A stage that was left out handed on what it started from: it moved nothing.
      const pairs = [...(artifacts.starts ?? [])].filter(
        ([stage, from]) => models.has(stage) && models.get(stage) !== folderOf(from),
      )
      const stored = existsSync(path) ? readJson(path, weightChangesSchema) : []
      const changes: StageChange[] = []
      for (const [to, from] of pairs) {
        context.signal.throwIfAborted()
        const known = stored.find((one) => one.from === from && one.to === to)
        changes.push(known ?? { from, to, change: weightChange(folderOf(from), models.get(to)!) })
        // After every pair: of large models each takes a while.
        if (!known) writeJson(path, changes)
      }
      return { notes: [`${pairs.length} pairs of models`] }
    },
    plan: () => free('compares the weights of the checkpoints'),
  }
}
