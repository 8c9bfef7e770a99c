/** TEST FIXTURE: results of a study that nobody ran. */
import { planStudy } from '../plan.ts'
import type { RecordedArm, StudyRecord } from '../record.ts'
import { describeStudy } from '../registered.ts'
import type { StudyResults } from '../results.ts'
import { needsOf } from '../sorts.ts'
import type { Study } from '../study.ts'
import { labelsOf } from '../tree.ts'

/** What was measured of one arm (or `…, step N`) under one seed. */
export interface Invented {
  /** Of a hundred tasks, so many solved. */
  solved: number
  exact?: number
  rewarded?: number
  benchmarks?: RecordedArm['benchmarks']
}

/** Results of a study in which an arm, evaluated under a seed, came out as `measure` says. */
export function inventedResults(
  study: Study,
  measure: (arm: string, seed: number, world: string) => Invented,
  weights?: (seed: number) => StudyRecord['weights'],
): StudyResults {
  const plan = planStudy(study)
  const detectable = (study.compare ?? []).map(() => ({ seeds: 3, tasks: 100, alone: 0.1, corrected: 0.15 }))
  const registered = describeStudy(
    plan,
    { name: 'invented', command: 'rwml study invented.ts' },
    { comparisons: detectable, assumed: 'nothing' },
  )
  const records = plan.runs.map(({ world, seed, resolved }): StudyRecord => {
    const labels = [...new Set(['base', ...world.tree.ends.flatMap(labelsOf)])]
    return {
      world: world.name,
      seed,
      version: '0',
      machine: 'a machine',
      environment: 'invented',
      model: { name: resolved.config.model.path, parameters: 1 },
      stages: world.tree.stages.map((stage) => {
        const end = world.tree.ends.find((one) => one.end === stage.name)
        const isTraining = world.tree.from.has(stage.name)
        return {
          name: stage.name,
          title: stage.title,
          seconds: 2,
          tokensSampled: 1000,
          tokensTrained: 100,
          tokensRead: 300,
          flops: 1e9,
          ...(isTraining && {
            from: world.tree.from.get(stage.name) ?? 'base',
            arms: end ? labelsOf(end) : [stage.name],
          }),
          reads: [...needsOf(stage)],
          makes: isTraining ? [] : [stage.name],
          notes: ['20 steps'],
        }
      }),
      ends: world.tree.ends.map(({ arm, evaluated, paysFor }) => ({ arm, evaluated, paysFor })),
      taken: [],
      baselines: { 'unseen: copy last observation': 0.1, 'unseen: nearest training transition': 0.3 },
      arms: labels.map((label) => recordedArm(label, measure(label, seed, world.name))),
      ...(weights && { weights: weights(seed) }),
    }
  })
  return { study: registered, records }
}

function recordedArm(arm: string, { solved, exact = 0.5, rewarded = exact, benchmarks }: Invented): RecordedArm {
  return {
    arm,
    policy: {
      unseen: {
        solved: ['1'.repeat(solved).padEnd(100, '0')],
        tasks: 'same for all',
        invalidShare: 0.2,
        grounding: null,
        stepsPerSolved: null,
      },
    },
    worldModel: { unseen: { exact, rewarded, byKind: { 'first visit': { transitions: 100, exact } } } },
    ...(benchmarks && { benchmarks }),
  }
}
