import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Trajectory, Transition } from '../core/index.ts'
import type { EvaluationResult, MetricLine } from '../evaluation/index.ts'
import type { WorldModelReward } from '../rewards/index.ts'
import { type RunFolder, readJson, writeFileAtomic } from '../store/index.ts'
import type { AlternativesAt } from './alternatives.ts'
import type { Arm } from './arms.ts'
import type { Collected } from './collect.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'
import type { FilterCount } from './filter.ts'
import type { Planner } from './plan.ts'
import type { RewardRecord } from './reward.ts'

/** Name of the model that a run starts from, among `Artifacts.models`. */
export const BASE = 'base'

/** What the stages of a run hand on to each other. */
export interface Artifacts {
  /** Whether the environment rewards an episode; known once something was collected. */
  rewarded?: boolean
  collected?: Collected
  reward?: WorldModelReward
  kept?: Transition[]
  /** What experts did, their replies in the agent's own format. */
  expert?: Trajectory[]
  /** What the model would have done instead in the experts' states, and what followed; by the id of the expert's transition. */
  alternatives?: ReadonlyMap<string, AlternativesAt>
  /** Why what the expert did is better than that; by the same id. */
  reflections?: ReadonlyMap<string, string>
  /** Model folder that each stage left, by the stage's name; `base` is what the run starts from. */
  models: Map<string, string>
  /** What each training stage started from, by the stage's name: a stage's name, or a model folder. */
  starts?: Map<string, string>
  /** Stages whose models each stage learned from without starting there, by its name. */
  teachers?: Map<string, string>
  /** Checkpoints to evaluate, in order. */
  arms: Arm[]
  evaluation?: EvaluationResult
}

/** What a stage adds to its record, for the report. */
export interface Outcome {
  notes: string[]
  filter?: { rule: string; settings: Record<string, unknown>; kinds: FilterCount[] }
  reward?: RewardRecord
}

export interface Stage {
  /** Unique in a method: names the stage's folder, checkpoints and metrics. */
  name: string
  title: string
  /** What its model is called in tables of results. Training stages have it. */
  arm?: string
  /** What distinguishes it from another stage of the same sort; part of what a run may be resumed with. */
  options: Record<string, unknown>
  /** Files outside of the run that it reads: a run does not go on with others. */
  files?: readonly string[]
  /**
   * Looks, before the run begins, whether what it will need is there: hours may pass until it does. Says what it found.
   * @throws UserError
   */
  check?(config: Config): Promise<string>
  /**
   * Reads what earlier stages handed on and the run folder, writes the run folder. A stage whose outputs are there only
   * reads them: running a method again goes on where it stopped.
   */
  run(context: StageContext, artifacts: Artifacts): Promise<Outcome>
  /** What it will do and what that takes, for `--dry`; pure. Absent: nothing is said of it. */
  plan?: Planner
  /** The same stage elsewhere in a method: under another name, from another start. Training stages have it. */
  placed?(place: TrainingStage): Stage
}

/** Where a training stage starts, and which of its checkpoints are evaluated. */
export interface TrainingStage {
  /** Default: the name of the sort of stage. */
  name?: string
  /** Where it starts: the name of a stage of the same run, or a model folder, such as another run's checkpoint. Default: the base model. */
  from?: string
  /** Its name in tables of results. */
  arm?: string
  /** Success is also measured after these many steps, for a learning curve. */
  curve?: readonly number[]
}

/** Something an earlier stage has to leave. @throws Error where the method's list lacks that stage. */
export function need<T>(value: T | undefined, stage: string, from: string): T {
  if (value === undefined)
    throw new Error(`the stage ${stage} needs ${from} before it: mend the method's list of stages`)
  return value
}

/** The model a stage starts from; that it does is noted among the artifacts. @throws Error where `from` names neither a stage before it nor a model folder. */
export function startOf(artifacts: Artifacts, stage: string, from = BASE): string {
  const folder = existsSync(join(from, 'config.json')) ? from : undefined
  artifacts.starts ??= new Map()
  artifacts.starts.set(stage, from)
  return need(artifacts.models.get(from) ?? folder, stage, `a stage named "${from}", or a model folder there,`)
}

/** The model of an earlier stage that this one learns from without starting there. @throws Error as `startOf` does. */
export function teacherOf(artifacts: Artifacts, stage: string, from: string): string {
  artifacts.teachers ??= new Map()
  artifacts.teachers.set(stage, from)
  return need(artifacts.models.get(from), stage, `a stage named "${from}"`)
}

/** Artifacts that say where a model came from and went: they cost nothing by themselves. */
const PLACES: readonly (string | symbol)[] = [
  'models',
  'starts',
  'teachers',
  'arms',
  'evaluation',
] satisfies (keyof Artifacts)[]

/**
 * The artifacts, and which of them whoever holds them reads and makes. That is what a stage rests on: an arm pays for it. Only
 * what is learned from counts, lists and rewards; a yes or no is a thing one knows.
 */
function watched(artifacts: Artifacts): { handed: Artifacts; reads: Set<string>; makes: Set<string> } {
  const [reads, makes] = [new Set<string>(), new Set<string>()]
  const handed = new Proxy(artifacts, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      const isData = typeof value === 'object' && value !== null && !PLACES.includes(key)
      if (isData && !makes.has(String(key))) reads.add(String(key))
      return value
    },
    set(target, key, value) {
      if (!PLACES.includes(key)) makes.add(String(key))
      return Reflect.set(target, key, value)
    },
  })
  return { handed, reads, makes }
}

const recordSchema = z.looseObject({
  seconds: z.number(),
  tokensSampled: z.number(),
  tokensTrained: z.number(),
  tokensRead: z.number().default(0),
  flops: z.number().default(0),
  startedAt: z.string(),
  finished: z.boolean(),
})

/** A stage's record: how long it took and what went through the model; null where it never ended or was never begun. */
export function stageRecord(run: RunFolder, stage: string): z.infer<typeof recordSchema> | null {
  const path = join(run.stageFolder(stage), 'stage.json')
  return existsSync(path) ? readJson(path, recordSchema) : null
}

/**
 * Run a stage and keep its record, `stages/<name>/stage.json`: time and tokens add up over interruptions, and stay as they
 * are where the stage had finished before.
 */
export async function runStage(stage: Stage, context: StageContext, artifacts: Artifacts): Promise<void> {
  const path = join(context.run.stageFolder(stage.name), 'stage.json')
  const before = stageRecord(context.run, stage.name)
  const then = { ...context.tokens }
  const { handed, reads, makes } = watched(artifacts)
  const armsBefore = artifacts.arms.length
  const startedAt = before?.startedAt ?? new Date().toISOString()
  const began = performance.now()
  const write = (outcome: Outcome, finished: boolean) => {
    if (before?.finished) return
    const record = {
      name: stage.name,
      title: stage.title,
      startedAt,
      seconds: (before?.seconds ?? 0) + (performance.now() - began) / 1000,
      tokensSampled: (before?.tokensSampled ?? 0) + context.tokens.sampled - then.sampled,
      tokensTrained: (before?.tokensTrained ?? 0) + context.tokens.trained - then.trained,
      tokensRead: (before?.tokensRead ?? 0) + context.tokens.read - then.read,
      flops: (before?.flops ?? 0) + context.tokens.flops - then.flops,
      finished,
      from: artifacts.starts?.get(stage.name),
      teacher: artifacts.teachers?.get(stage.name),
      arms: artifacts.arms.slice(armsBefore).map(({ arm }) => arm),
      reads: [...reads],
      makes: [...makes],
      ...outcome,
    }
    writeFileAtomic(path, `${JSON.stringify(record, null, 2)}\n`)
  }
  const log = (line: MetricLine) => {
    context.log(line)
    // A killed process says nothing any more: what it has used up is written down step by step.
    write({ notes: [] }, false)
  }
  try {
    write(await stage.run({ ...context, log }, handed), true)
  } catch (error) {
    // The failure is what matters: where even the record cannot be written (a full disk), it must not hide it.
    try {
      write({ notes: [] }, false)
    } catch {}
    throw error
  }
}
