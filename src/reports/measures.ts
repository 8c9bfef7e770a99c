import { type Interval, mean, sd } from '../core/index.ts'
import type { ArmResult, EpisodeResult, EvaluationResult, PolicyResult, WorldModelResult } from '../evaluation/index.ts'
import { formatDifference, formatValue, NOT_MEASURED, plural, type Unit } from './format.ts'
import {
  type Cluster,
  clusteredMean,
  clusteredMeanInterval,
  clusteredShareInterval,
  correlation,
  detectableFrom,
  differenceInterval,
  shareInterval,
} from './intervals.ts'
import { pooledWorldModel } from './pooledWorldModel.ts'

/** One quantity measured on every arm. */
export interface Measure {
  id: string
  title: string
  unit: Unit
  better: 'up' | 'down'
  /** What it was measured on: `137 tasks × 3 runs`. */
  basis: string
  /** Along the evaluation's arms; null = not measured there. */
  arms: (Estimate | null)[]
}

export interface Estimate {
  value: number
  /** Standard deviation over evaluation runs; null for a single run. */
  sd: number | null
  /** 95 %, over tasks. */
  interval: Interval | null
  /** By task, where known: lets two arms be compared task by task. */
  clusters?: Map<string, Cluster>
}

/** Mean ± standard deviation over runs, where there were several. */
export function formatEstimate({ value, sd }: Pick<Estimate, 'value' | 'sd'>, unit: Unit): string {
  return `${formatValue(value, unit)}${sd === null ? '' : ` ± ${formatValue(sd, unit).replace('%', '')}`}`
}

export interface Change {
  from: Estimate
  to: Estimate
  difference: number
  /** 95 %. */
  interval: Interval | null
  /** The interval excludes zero. */
  detected: boolean
}

/** The quantities of the first table: success by split and in all, invalid actions, steps, world-model accuracy. */
export function measuresOf(evaluation: EvaluationResult): Measure[] {
  const { arms } = evaluation
  const splits = [...new Set(arms.flatMap((arm) => arm.policy.map((result) => result.split)))]
  const measures: Measure[] = splits.map((split) =>
    successMeasure(arms, `success:${split}`, `Success, ${split}`, split),
  )
  if (splits.length > 1) measures.push(successMeasure(arms, 'success', 'Success, all tasks'))
  else if (splits.length === 1) measures[0].id = 'success'
  if (splits.length > 0) {
    measures.push({
      id: 'invalid',
      title: 'Invalid actions',
      unit: 'share',
      better: 'down',
      basis: 'of all steps',
      arms: arms.map((arm) => shareOfSteps(arm.policy, 'invalid') ?? invalidActions(arm.policy)),
    })
    const counted = arms.some(({ policy }) => policy.some(({ episodes }) => episodes.some(hasWaste)))
    if (counted) {
      measures.push({
        id: 'wasted',
        title: 'Wasted actions',
        unit: 'share',
        better: 'down',
        basis: 'of all steps, invalid ones among them',
        arms: arms.map((arm) => shareOfSteps(arm.policy, 'wasted')),
      })
    }
    measures.push({
      id: 'steps',
      title: 'Steps per solved task',
      unit: 'steps',
      better: 'down',
      basis: 'of solved episodes',
      arms: arms.map((arm) => stepsPerSolved(arm.policy)),
    })
  }
  measures.push({ ...worldModelMeasure(evaluation, 'exact'), title: 'World model, exact' })
  if (hasBothSorts(arms))
    measures.push({ ...worldModelMeasure(evaluation, 'valid'), title: 'World model, exact, valid actions' })
  measures.push({ ...worldModelMeasure(evaluation, 'rewarded'), title: 'World model, by reward' })
  return measures
}

function worldModelMeasure({ arms, settings }: EvaluationResult, of: Accuracy): Omit<Measure, 'title'> {
  const counts = arms.map(({ worldModel }) => {
    const clusters = [...(predictionClusters(worldModel, of)?.values() ?? [])].filter(({ count }) => count > 0)
    const transitions = clusters.reduce((sum, { count }) => sum + count, 0)
    return { tasks: clusters.length, transitions: transitions || (pooledWorldModel(worldModel)?.transitions ?? 0) }
  })
  const transitions = Math.max(0, ...counts.map((one) => one.transitions))
  const tasks = Math.max(0, ...counts.map((one) => one.tasks))
  const others = settings.heldOutBy ?? []
  return {
    id: of === 'valid' ? 'exact:valid' : of,
    unit: 'share',
    better: 'up',
    basis: [
      plural(transitions, 'held-out transition'),
      ...(tasks > 0 ? [` of ${plural(tasks, 'task')}`] : []),
      ...(others.length > 0 ? [`, played by ${others.join(', ')}`] : []),
    ].join(''),
    arms: arms.map((arm) => worldModelShare(arm.worldModel, of)),
  }
}

/** Whether some held-out transitions, and not all of them, follow invalid actions: what is right of the others is not seen in the whole. */
function hasBothSorts(arms: readonly ArmResult[]): boolean {
  const valid = arms
    .flatMap(({ worldModel }) => worldModel.flatMap(({ outcomes }) => outcomes ?? []))
    .flatMap((one) => one.valid ?? [])
  return valid.includes(0) && valid.includes(1)
}

/** From one arm to another; null unless both were measured. Paired by task where both know their tasks. */
export function changeOf(measure: Measure, from: number, to: number): Change | null {
  const [a, b] = [measure.arms[from], measure.arms[to]]
  return a && b && changeBetween(a, b)
}

/**
 * The smallest true difference that would be found, in words. Where nothing varied, or where not even the largest difference
 * there is would be found, that cannot be told from these intervals.
 */
export function formatDetectable({ interval }: Change, unit: Unit): string {
  if (!interval) return NOT_MEASURED
  const smallest = detectableFrom(interval)
  const text = formatDifference(smallest, unit)
  return text.startsWith('±') || (unit === 'share' && smallest >= 1) ? 'cannot be told' : text.slice(1)
}

function changeBetween(a: Estimate, b: Estimate): Change {
  const interval =
    a.interval && b.interval
      ? differenceInterval(
          { value: a.value, interval: a.interval },
          { value: b.value, interval: b.interval },
          pairing(a, b),
        )
      : null
  const detected = interval !== null && (interval.low > 0 || interval.high < 0)
  return { from: a, to: b, difference: b.value - a.value, interval, detected }
}

/** Some arm played tasks that have a reward. Without one there is no success to speak of, and nothing is said of it. */
export function hasSuccess(evaluation: EvaluationResult): boolean {
  return evaluation.arms.some((arm) => arm.policy.length > 0)
}

/** Tasks evaluated, all splits together. */
export function taskCount(evaluation: EvaluationResult): number {
  return Math.max(0, ...evaluation.arms.map((arm) => arm.policy.reduce((sum, result) => sum + result.tasks, 0)))
}

function successMeasure(arms: readonly ArmResult[], id: string, title: string, split?: string): Measure {
  const results = (arm: ArmResult) => arm.policy.filter((result) => split === undefined || result.split === split)
  const first = arms.map(results).find((found) => found.length > 0) ?? []
  const tasks = first.reduce((sum, result) => sum + result.tasks, 0)
  const runs = Math.max(0, ...first.map((result) => result.successByRun.length))
  return {
    id,
    title,
    unit: 'share',
    better: 'up',
    basis: `${plural(tasks, 'task')} × ${plural(runs, 'run')}`,
    arms: arms.map((arm) => success(results(arm))),
  }
}

/** Runs of all given splits, weighted by their tasks. */
function success(results: readonly PolicyResult[]): Estimate | null {
  const tasks = results.reduce((sum, result) => sum + result.tasks, 0)
  const runs = Math.min(...results.map((result) => result.successByRun.length))
  if (tasks === 0 || !(runs > 0)) return null
  const byRun = Array.from({ length: runs }, (_, run) =>
    results.reduce((sum, result) => sum + (result.successByRun[run] * result.tasks) / tasks, 0),
  )
  const clusters = clustersOf(results, (episode) => [episode.solved ? 1 : 0, 1])
  const value = mean(byRun)
  return {
    value,
    sd: spread(byRun),
    interval: clusters.size > 0 ? clusteredShareInterval([...clusters.values()]) : shareInterval(value, tasks),
    clusters: clusters.size > 0 ? clusters : undefined,
  }
}

const hasWaste = ({ wasted }: EpisodeResult): boolean => wasted !== undefined

/** Steps of one sort among all steps, over tasks; null where some episode did not count them. */
function shareOfSteps(results: readonly PolicyResult[], of: 'invalid' | 'wasted'): Estimate | null {
  if (of === 'wasted' && !results.every(({ episodes }) => episodes.every(hasWaste))) return null
  const measure = (episode: EpisodeResult): [number, number] => [episode[of] ?? 0, episode.steps]
  const clusters = clustersOf(results, measure)
  const estimate = clusteredMean([...clusters.values()])
  if (!estimate) return null
  const interval = clusteredShareInterval([...clusters.values()])
  return { value: estimate.value, sd: overRuns(results, measure), interval, clusters }
}

/** Of results that do not tell their episodes. */
function invalidActions(results: readonly PolicyResult[]): Estimate | null {
  const tasks = results.reduce((sum, result) => sum + result.tasks, 0)
  if (tasks === 0) return null
  const value = results.reduce((sum, result) => sum + (result.invalidShare * result.tasks) / tasks, 0)
  return { value, sd: null, interval: null }
}

function stepsPerSolved(results: readonly PolicyResult[]): Estimate | null {
  const measure = (episode: EpisodeResult): [number, number] => (episode.solved ? [episode.steps, 1] : [0, 0])
  // Not paired: two arms solve different tasks.
  const clusters = [...clustersOf(results, measure).values()]
  const estimate = clusteredMean(clusters)
  if (!estimate) return null
  return { value: estimate.value, sd: overRuns(results, measure), interval: clusteredMeanInterval(clusters) }
}

/** Share exact, by reward, or exact of what valid actions led to. */
type Accuracy = 'exact' | 'rewarded' | 'valid'

/** Of one predictor, over the tasks that the transitions come from where they are known, else over transitions. */
function worldModelShare(results: readonly WorldModelResult[], of: Accuracy, predictor = 'model'): Estimate | null {
  const clusters = predictionClusters(results, of, predictor)
  if (clusters) {
    const estimate = clusteredMean([...clusters.values()])
    const interval = clusteredShareInterval([...clusters.values()])
    return estimate && { value: estimate.value, sd: null, interval, clusters }
  }
  const pooled = pooledWorldModel(results, predictor)
  if (!pooled || of === 'valid') return null
  return { value: pooled[of], sd: null, interval: shareInterval(pooled[of], pooled.transitions) }
}

/** Predictions by task; undefined where a part was stored without its outcomes, or without which of them are valid. */
function predictionClusters(
  results: readonly WorldModelResult[],
  of: Accuracy,
  predictor = 'model',
): Map<string, Cluster> | undefined {
  const parts = results.filter((result) => result.predictor === predictor && result.transitions > 0)
  const known = parts.every(({ outcomes }) => outcomes?.every(({ valid }) => of !== 'valid' || valid))
  if (parts.length === 0 || !known) return undefined
  return new Map(
    parts.flatMap(({ split, outcomes = [] }) =>
      outcomes.map(({ taskId, exact, reward, valid = [] }): [string, Cluster] => {
        const all = of === 'rewarded' ? reward : exact
        const values = of === 'valid' ? all.filter((_, i) => valid[i] === 1) : all
        return [`${split}/${taskId}`, { sum: values.reduce((sum, value) => sum + value, 0), count: values.length }]
      }),
    ),
  )
}

/** Exact next states of an arm beside a baseline's on the same transitions: the arm minus the baseline. */
export function changeFromBaseline(evaluation: EvaluationResult, predictor: string, arm: number): Change | null {
  const baseline = worldModelShare(evaluation.worldModelBaselines, 'exact', predictor)
  const model = worldModelShare(evaluation.arms[arm].worldModel, 'exact')
  return baseline && model && changeBetween(baseline, model)
}

function clustersOf(
  results: readonly PolicyResult[],
  measure: (episode: EpisodeResult) => [sum: number, count: number],
): Map<string, Cluster> {
  const clusters = new Map<string, Cluster>()
  for (const result of results) {
    for (const episode of result.episodes) {
      const key = `${result.split}/${episode.taskId}`
      const cluster = clusters.get(key) ?? { sum: 0, count: 0 }
      const [sum, count] = measure(episode)
      clusters.set(key, { sum: cluster.sum + sum, count: cluster.count + count })
    }
  }
  return clusters
}

/** Standard deviation over evaluation runs of Σ sum / Σ count. */
function overRuns(
  results: readonly PolicyResult[],
  measure: (episode: EpisodeResult) => [number, number],
): number | null {
  const byRun = new Map<number, Cluster>()
  for (const episode of results.flatMap((result) => result.episodes)) {
    const [sum, count] = measure(episode)
    const before = byRun.get(episode.run) ?? { sum: 0, count: 0 }
    byRun.set(episode.run, { sum: before.sum + sum, count: before.count + count })
  }
  return spread([...byRun.values()].filter(({ count }) => count > 0).map(({ sum, count }) => sum / count))
}

/** Of a single run there is no deviation. */
function spread(values: readonly number[]): number | null {
  return values.length < 2 ? null : sd(values)
}

/**
 * Correlation of two arms over the tasks both attempted; 0 where tasks are unknown. Of what each task adds to the error of
 * its arm's mean, so that tasks with more measurements weigh as they do there.
 */
function pairing(a: Estimate, b: Estimate): number {
  if (!a.clusters || !b.clusters) return 0
  const pairs = [...a.clusters].flatMap(([task, left]) => {
    const right = b.clusters?.get(task)
    return right && left.count > 0 && right.count > 0
      ? [[left.sum - a.value * left.count, right.sum - b.value * right.count]]
      : []
  })
  return correlation(
    pairs.map(([left]) => left),
    pairs.map(([, right]) => right),
  )
}
