import { mean } from '../core/index.ts'
import type { StudyRun } from './plan.ts'
import type { StudyRecord } from './record.ts'
import { EVALUATION, sortOf } from './sorts.ts'

/**
 * How long runs may still take, as text, from what stages of the same sort took in finished runs; empty where none has finished.
 * An evaluation takes as long as it has models.
 */
export function timeLeft(runs: readonly StudyRun[], records: readonly StudyRecord[]): string {
  if (records.length === 0) return ''
  const speeds = new Map<string, number[]>()
  for (const { stages, arms, taken } of records) {
    for (const stage of stages) {
      if (taken.includes(stage.name)) continue
      const sort = sortOf(stage)
      const models = isEvaluation(sort) ? Math.max(1, arms.length) : 1
      speeds.set(sort, [...(speeds.get(sort) ?? []), stage.seconds / models])
    }
  }
  let seconds = 0
  let isLeast = false
  for (const { world, prints, seed } of runs) {
    const before = runs.filter((one) => one.seed === seed && one.world !== world)
    for (const stage of world.tree.stages) {
      const print = prints.get(stage.name)
      const sort = sortOf(stage)
      const isElsewhere = print !== undefined && before.some((one) => [...one.prints.values()].includes(print))
      if (isElsewhere && !isEvaluation(sort)) continue
      const measured = speeds.get(sort)
      if (!measured) isLeast = true
      const models = isEvaluation(sort) ? 1 + world.tree.ends.reduce((sum, one) => sum + 1 + one.curve.length, 0) : 1
      seconds += measured ? mean(measured) * models : 0
    }
  }
  return `${isLeast ? 'at least' : 'about'} ${duration(seconds)} left, by what was measured`
}

const isEvaluation = (sort: string): boolean => sort === EVALUATION

function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (minutes < 1) return `${Math.max(1, Math.round(seconds))} s`
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
