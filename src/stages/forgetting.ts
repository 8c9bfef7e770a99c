import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  type Benchmark,
  type BenchmarkResult,
  changeOf,
  FORGETTING_FILE,
  type Forgetting,
  forgettingSchema,
  retentionSuite,
  runBenchmark,
} from '../benchmarks/index.ts'
import { UserError } from '../core/index.ts'
import { makeFolder, readJson, writeJson } from '../store/index.ts'
import { free } from './plan.ts'
import type { Stage } from './stage.ts'
import { slug } from './stored-play.ts'

export interface ForgettingOptions {
  /** Default `forgetting`. */
  name?: string
  /** What every arm is asked, as `readBenchmarks` gives it. Default: what the shipped miniature could do, `retentionSuite()`. */
  benchmarks?: readonly Benchmark[]
  /** Names of the arms to ask; all when absent. The first is what the others are compared with. */
  arms?: readonly string[]
}

/** What the arms of a run still know of other things: every benchmark before and after training. */
export function forgettingStage(options: ForgettingOptions = {}): Stage {
  const { name = 'forgetting', benchmarks = retentionSuite(), arms: names } = options
  const twice = benchmarks.find((one, index) => benchmarks.findIndex((other) => other.name === one.name) < index)
  if (twice) throw new UserError(`the stage ${name} has two benchmarks called ${twice.name}: name them differently`)
  return {
    name,
    title: 'Benchmarks before and after',
    options: {
      benchmarks: benchmarks.map((one) => `${one.name}: ${one.questions.length}, ${one.notes.join('; ')}`),
      arms: names,
    },
    async run(context, artifacts) {
      const { run, trainer, format, config, progress, signal } = context
      const arms = artifacts.arms.filter(({ arm }) => names?.includes(arm) ?? true)
      const folder = run.stageFolder(name)
      makeFolder(folder)
      const file = join(folder, FORGETTING_FILE)
      // Only a finished one has that file.
      const found: Forgetting = existsSync(file) ? readJson(file, forgettingSchema) : { stage: name, arms: [] }
      if (found.arms.length < arms.length) {
        found.arms = []
        for (const { arm, path } of arms) {
          await trainer.loadWeights(path)
          const results: BenchmarkResult[] = []
          for (const benchmark of benchmarks) {
            progress.start(`${arm}, ${benchmark.title}`, benchmark.questions.length)
            results.push(
              await runBenchmark(benchmark, {
                sampler: trainer.sampler(),
                format,
                seed: config.seed,
                path: join(folder, `${slug(arm)}-${benchmark.name}.jsonl`),
                signal,
                onProgress: (done) => progress.update(done),
              }),
            )
            progress.finish()
          }
          found.arms.push({ arm, checkpoint: relative(run.path, path), results })
        }
        writeJson(file, found)
      }
      return { notes: notesOf(found) }
    },
    plan: (_, __, { arms }) => {
      const questions = benchmarks.reduce((sum, one) => sum + one.questions.length, 0)
      return free(`${names?.length ?? arms} models: ${questions} questions each`)
    },
  }
}

function notesOf({ arms: [base, ...others] }: Forgetting): string[] {
  return others.flatMap(({ arm, results }) => {
    const changes = results.flatMap((result, index) => {
      const change = changeOf(base.results[index], result)
      if (!change) return []
      const share = result.measures[0].unit === 'share'
      const size = Math.abs(share ? 100 * change.difference : change.difference)
      const sign = change.difference < 0 ? '−' : '+'
      return [`${result.title} ${sign}${share ? `${size.toFixed(1)} points` : size.toFixed(3)}`]
    })
    return changes.length === 0 ? [] : [`${base.arm} to ${arm}: ${changes.join(', ')}`]
  })
}
