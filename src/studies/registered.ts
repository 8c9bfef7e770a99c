import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { shellQuote, UserError } from '../core/index.ts'
import type { Stage } from '../stages/index.ts'
import { canonicalJson, readJson, writeJson } from '../store/index.ts'
import type { DetectableBefore } from './detectable.ts'
import type { StudyPlan } from './plan.ts'
import { sortOf } from './sorts.ts'
import { armsOfStudy } from './study.ts'
import { describeStage, withoutPlace } from './tree.ts'

const value = z.union([z.number(), z.string(), z.boolean()])

const armSchema = z.object({
  arm: z.string(),
  /** Where its runs are. */
  world: z.string(),
  /** Those of the study's seeds that it has. */
  seeds: z.array(z.int()),
  stages: z.array(
    z.object({
      sort: z.string(),
      title: z.string(),
      /** With what is varied, in words. */
      text: z.string(),
      /** It is not the method itself: something is taken away from it, or done otherwise. */
      varied: z.boolean(),
    }),
  ),
  /** Steps of its last stage at which it is evaluated too. */
  curve: z.array(z.number()),
})

const comparisonSchema = z.object({ first: z.string(), second: z.string(), asks: z.string() })

const registeredSchema = z.object({
  /** Of the file that it stands in. */
  name: z.string(),
  /** How it was started, without `--out` and `--resume`. */
  command: z.string(),
  /** ISO 8601. */
  registeredAt: z.string(),
  environment: z.string(),
  seeds: z.array(z.int()),
  primary: z.string(),
  arms: z.array(armSchema),
  compare: z.array(comparisonSchema),
  /** Settings of the main world, and what other worlds lay over them. */
  settings: z.array(z.object({ path: z.string(), value, source: z.enum(['paper', 'ours', 'user']) })),
  worlds: z.record(z.string(), z.record(z.string(), value)),
  evaluate: z.array(z.string()),
  /** Smallest differences that could be seen, as computed beforehand, in the order of `compare`. */
  detectable: z.array(
    z.object({
      seeds: z.int(),
      tasks: z.int().nullable(),
      alone: z.number().nullable(),
      corrected: z.number().nullable(),
    }),
  ),
  assumed: z.string(),
})

/** What was fixed before anything ran: the content of `study.json`, and all that tables need to know of a study beside its records. */
export type RegisteredStudy = z.infer<typeof registeredSchema>
export type RegisteredArm = RegisteredStudy['arms'][number]
export type Comparison = RegisteredStudy['compare'][number]

export const studyFile = (out: string): string => join(out, 'study.json')

export function describeStudy(
  plan: StudyPlan,
  { name, command }: { name: string; command: string },
  before: DetectableBefore,
): RegisteredStudy {
  const { study, worlds, runs } = plan
  const worldOf = (arm: string) => worlds.find((world) => world.arms.some((one) => one.arm === arm))!
  const { config, fields } = runs[0].resolved
  return {
    name,
    command,
    registeredAt: new Date().toISOString(),
    environment: config.environment.name,
    seeds: [...study.seeds],
    primary: study.primary ?? 'unseen',
    arms: armsOfStudy(study).map(({ arm, stages, seeds }) => ({
      arm,
      world: worldOf(arm).name,
      seeds: study.seeds.slice(0, seeds),
      stages: stages.map((stage) => ({
        sort: sortOf(stage),
        title: stage.title,
        text: describeStage(stage),
        varied: isVaried(stage),
      })),
      curve: (stages.at(-1)?.options.curve as number[] | undefined) ?? [],
    })),
    compare: (study.compare ?? []).map(([first, second, asks]) => ({
      first,
      second,
      asks: asks ?? `Is ${second} better than ${first}?`,
    })),
    settings: fields.map((field) => (field.path === 'seed' ? { ...field, value: study.seeds.join(', ') } : field)),
    worlds: Object.fromEntries(
      worlds.map(({ name, settings }) => [name, settings as Record<string, string | number | boolean>]),
    ),
    evaluate: worlds[0].method.stages
      .slice(-(Array.isArray(study.evaluate) ? study.evaluate.length : 1))
      .map((stage) => describeStage(stage)),
    detectable: before.comparisons,
    assumed: before.assumed,
  }
}

/** Options that say how much, or what is looked at, and not what is learned. */
const HOW_MUCH = ['curve', 'settings', 'policySettings']

function isVaried(stage: Stage): boolean {
  return stage.title !== sortOf(stage) || Object.keys(withoutPlace(stage)).some((key) => !HOW_MUCH.includes(key))
}

/** What may not change once it is written down, and what it is called where it did. */
const FIXED = ['seeds', 'arms', 'compare', 'primary', 'settings', 'worlds', 'evaluate'] as const

/**
 * Write down what the study is, or find that it is what was written down.
 * @throws UserError where another was begun in the folder, or this one and it was not said to go on with it
 */
export function register(out: string, now: RegisteredStudy, resume: boolean): RegisteredStudy {
  const path = studyFile(out)
  if (!existsSync(path)) {
    const found = ['records', 'runs'].find((name) => existsSync(join(out, name)))
    if (found) {
      throw new UserError(
        `${out} holds ${found}/ without the study.json of the study that they belong to: restore that file, or name another folder`,
      )
    }
    writeJson(path, now)
    return now
  }
  const then = readRegistered(out)
  const other = FIXED.find((key) => canonicalJson(then[key]) !== canonicalJson(now[key]))
  if (other) {
    throw new UserError(
      `${out} was begun with other ${other} (${differenceOf(then[other], now[other])}): what a study compares is fixed before it runs; restore that in the study file, or name another folder`,
    )
  }
  if (!resume) {
    throw new UserError(
      `${out} already holds this study: go on with "${now.command} --out ${shellQuote(out)} --resume", or name another folder`,
    )
  }
  return then
}

export function readRegistered(out: string): RegisteredStudy {
  return readJson(studyFile(out), registeredSchema)
}

/** The first part that differs, as text. */
function differenceOf(then: unknown, now: unknown): string {
  const parts = (one: unknown) =>
    (Array.isArray(one) ? one : Object.entries(one as object)).map((part) => canonicalJson(part))
  if (typeof then === 'string') return `${then}, not ${now}`
  const [before, after] = [parts(then), parts(now)]
  const index = before.findIndex((part, i) => part !== after[i])
  const short = (text = 'nothing') => (text.length > 80 ? `${text.slice(0, 79)}…` : text)
  const at = index < 0 ? before.length : index
  return `${short(before[at])}, not ${short(after[at])}`
}
