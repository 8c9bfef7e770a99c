import { existsSync } from 'node:fs'
import { type Interval, mean, pairedTTest, sd, UserError } from '../core/index.ts'
import { armCosts } from '../evaluation/index.ts'
import { BASE } from '../stages/index.ts'
import { readJson } from '../store/index.ts'
import { MAIN, recordFile } from './plan.ts'
import { BROKEN, type RecordedArm, recordSchema, type StudyRecord } from './record.ts'
import { type RegisteredArm, type RegisteredStudy, readRegistered } from './registered.ts'

/** A figure of one arm, one value a seed. */
export interface BySeed {
  seed: number
  value: number
}

/** What a study has found so far: what was registered, and the records of the runs that have finished. */
export interface StudyResults {
  study: RegisteredStudy
  records: StudyRecord[]
}

/** From the folder of a study alone. @throws UserError where no run has finished */
export function loadStudyResults(out: string): StudyResults {
  const study = readRegistered(out)
  const wanted = study.seeds.flatMap((seed) => Object.keys(study.worlds).map((world) => recordFile(out, world, seed)))
  const records = wanted.filter((path) => existsSync(path)).map((path) => readJson(path, recordSchema))
  if (records.length === 0) throw new UserError(`no run of the study in ${out} has finished yet: go on with --resume`)
  return { study, records }
}

export function armOf({ study }: StudyResults, arm: string): RegisteredArm {
  const found = study.arms.find((one) => one.arm === arm)
  if (!found) throw new Error(`the study has no arm "${arm}"`)
  return found
}

/** What the evaluation of a run found of an arm, or, with `step`, of a point of its curve; null where it has none. */
export function measuredArm(record: StudyRecord, arm: string, step?: number): RecordedArm | null {
  const end = record.ends.find((one) => one.arm === arm)
  if (!end) return null
  const name = step === undefined ? end.evaluated : `${end.evaluated}, step ${step}`
  return record.arms.find((one) => one.arm === name) ?? null
}

/** Records of an arm's own runs. */
export function recordsOfArm({ study, records }: StudyResults, arm: string): StudyRecord[] {
  const world = study.arms.find((one) => one.arm === arm)?.world
  return records.filter((record) => record.world === world && record.ends.some((one) => one.arm === arm))
}

/** A figure of an arm over the seeds that have it. */
export function bySeed(
  results: StudyResults,
  arm: string,
  pick: (one: RecordedArm) => number | null | undefined,
  step?: number,
): BySeed[] {
  return recordsOfArm(results, arm).flatMap((record) => {
    const found = measuredArm(record, arm, step)
    const value = found ? pick(found) : null
    return value === null || value === undefined || !Number.isFinite(value) ? [] : [{ seed: record.seed, value }]
  })
}

/** A figure of the base and of what was made of it, of one run. */
export interface FromBase {
  seed: number
  before: number
  after: number
}

/** A figure of the base and of an arm, over the arm's runs that have both. */
export function fromBase(
  results: StudyResults,
  arm: string,
  pick: (one: RecordedArm) => number | null | undefined,
): FromBase[] {
  return recordsOfArm(results, arm).flatMap((record) => {
    const [start, end] = [record.arms.find((one) => one.arm === BASE), measuredArm(record, arm)]
    const [before, after] = [start && pick(start), end && pick(end)]
    return typeof before === 'number' && typeof after === 'number' ? [{ seed: record.seed, before, after }] : []
  })
}

/** Splits on which success was measured, the primary one first. */
export function splitsOf({ study, records }: StudyResults): string[] {
  const all = [...new Set(records.flatMap(({ arms }) => arms.flatMap(({ policy }) => Object.keys(policy))))]
  return all.sort((a, b) => Number(b === study.primary) - Number(a === study.primary))
}

/** Splits on which next states were predicted. */
export function worldModelSplits({ records }: StudyResults): string[] {
  return [...new Set(records.flatMap(({ arms }) => arms.flatMap(({ worldModel }) => Object.keys(worldModel))))]
}

/** The split that comparisons are about: the registered one, or the first there is. */
export function primaryOf(results: StudyResults): string | null {
  const [first] = splitsOf(results)
  return first ?? null
}

/**
 * Share of evaluation runs that solved each task, of those that did not break, in the order of tasks; null for a task of which none is
 * left, and where nothing was measured.
 */
export function perTask(arm: RecordedArm, split: string): (number | null)[] | null {
  const solved = arm.policy[split]?.solved
  if (!solved || solved.length === 0) return null
  const tasks = Array.from(solved[0], (_, task) => {
    const there = solved.map((run) => run[task]).filter((one) => one !== BROKEN)
    return there.length > 0 ? mean(there.map(Number)) : null
  })
  return tasks.some((one) => one !== null) ? tasks : null
}

export function success(split: string): (arm: RecordedArm) => number | null {
  return (arm) => {
    const tasks = perTask(arm, split)
    return tasks && mean(tasks.filter((one) => one !== null))
  }
}

export const exact =
  (split: string) =>
  ({ worldModel }: RecordedArm): number | undefined =>
    worldModel[split]?.exact

/** Mean over seeds with its standard deviation and Student's 95 % interval, which one seed does not have. */
export interface OverSeeds {
  seeds: number
  mean: number
  sd: number
  interval: Interval | null
}

export function overSeeds(values: readonly BySeed[]): OverSeeds | null {
  if (values.length === 0) return null
  const numbers = values.map(({ value }) => value)
  return {
    seeds: numbers.length,
    mean: mean(numbers),
    sd: sd(numbers),
    interval:
      numbers.length < 2
        ? null
        : pairedTTest(
            numbers.map(() => 0),
            numbers,
          ).interval,
  }
}

/** What an arm cost: all stages that it needs, as if it had been run alone. Means over seeds; null before one has finished. */
export function costOf(results: StudyResults, arm: string) {
  const records = recordsOfArm(results, arm)
  const costs = records.flatMap(({ stages, ends }) => {
    const { evaluated } = ends.find((one) => one.arm === arm)!
    return armCosts(stages, BASE).find((one) => one.arm === evaluated) ?? []
  })
  if (costs.length === 0) return null
  const over = (pick: 'seconds' | 'sampled' | 'trained' | 'read') => mean(costs.map((one) => one[pick]))
  const flops = costs.flatMap((one) => one.flops ?? [])
  return {
    sampled: over('sampled'),
    trained: over('trained'),
    read: over('read'),
    seconds: over('seconds'),
    /** Null where a run did not count them. */
    flops: flops.length === costs.length ? mean(flops) : null,
  }
}

/** Arms whose settings are the study's own. */
export const isMain = ({ world }: RegisteredArm): boolean => world === MAIN
