import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { z } from 'zod'
import {
  BENCHMARKS,
  type BenchmarkResult,
  type ChoiceStyle,
  limited,
  readBenchmarks,
  retentionSuite,
  runBenchmark,
} from '../benchmarks/index.ts'
import { shellQuote, UserError } from '../core/index.ts'
import { openLocalEngine, weightFiles } from '../engines/index.ts'
import { makeFolder, readJson, writeJson } from '../store/index.ts'
import { loadChatFormat } from '../tokens/index.ts'
import { interruptible } from './interrupt.ts'
import { wholeNumber } from './numbers.ts'
import { pathName, TRAINED_FOLDER, trainedFolder } from './paths.ts'
import { Progress } from './progress.ts'
import { textTable } from './table.ts'

interface Options {
  data?: string
  only?: string[]
  limit: number
  choices: ChoiceStyle
  thinking?: 'on' | 'off'
  out?: string
  threads: number
  json: boolean
}

/** `rwml benchmark MODEL --data FOLDER`. */
export function benchmarkCommand(): Command {
  return new Command('benchmark')
    .description('what a model knows: published benchmarks from your own files, before and after training')
    .argument('<model>', TRAINED_FOLDER, pathName)
    .option('--data <dir>', 'folder of the files (default: what the shipped miniature could do, embedded)', pathName)
    .addOption(new Option('--only <names...>', `some of ${BENCHMARKS.join(', ')}`))
    .option('--limit <n>', 'questions of each at most, a seeded sample; 0 = all', wholeNumber(), 0)
    .addOption(
      new Option('--choices <style>', 'multiple choice by the probability of the letter, of the option, or by a reply')
        .choices(['letter', 'option', 'reply'])
        .default('letter'),
    )
    .addOption(
      new Option('--thinking <on|off>', 'of a model that can think first (default: as its template has it)').choices([
        'on',
        'off',
      ]),
    )
    .option('--out <dir>', 'keep every answer here, and go on from there when run again', pathName)
    .option('--threads <n>', 'threads of the engine', wholeNumber(1, 1024), availableParallelism())
    .option('--json', 'print the results as one JSON object on the last line', false)
    .addHelpText(
      'after',
      `
Names of the files, and what is counted: docs/benchmarks.md.

Examples:
  rwml benchmark models/mini
  rwml benchmark models/smollm2 --data data/benchmarks --only gsm8k --limit 100
  rwml benchmark runs/mine --data data/benchmarks --out runs/mine/benchmarks`,
    )
    .action(benchmarkAction)
}

async function benchmarkAction(path: string, options: Options): Promise<void> {
  const { data, only, limit, choices, thinking, out, threads, json } = options
  if (data === undefined && only) throw new UserError('--only needs --data: the folder that the files are in', 2)
  const benchmarks =
    data === undefined
      ? retentionSuite().map((one) => limited(one, limit))
      : await readBenchmarks(data, { only, style: choices, limit })
  const folder = trainedFolder(path)
  if (out !== undefined) claim(out, folder)
  const format = loadChatFormat(folder, thinking === undefined ? {} : { enableThinking: thinking === 'on' })
  const engine = await openLocalEngine(folder, { threads, frozen: true })
  try {
    await interruptible(commandOf(path, options), async (signal) => {
      const progress = new Progress()
      const results: BenchmarkResult[] = []
      for (const benchmark of benchmarks) {
        progress.start(benchmark.title, benchmark.questions.length)
        const result = await runBenchmark(benchmark, {
          sampler: engine.trainer().sampler(),
          format,
          path: out === undefined ? undefined : join(out, `${benchmark.name}.jsonl`),
          signal,
          onProgress: (done) => progress.update(done),
        })
        progress.finish()
        results.push(result)
      }
      console.log(tableOf(results))
      for (const { title, notes } of results) console.log(`${title}: ${notes.join('; ')}.`)
      if (out !== undefined) writeJson(join(out, 'results.json'), { model: folder, results })
      if (json) console.log(JSON.stringify({ model: folder, results }))
    })
  } finally {
    await engine.close()
  }
}

const modelSchema = z.object({ model: z.string(), written: z.number() })

/** Answers that are kept are of one model. */
function claim(out: string, folder: string): void {
  const model = { model: resolve(folder), written: statSync(weightFiles(folder)[0]).mtimeMs }
  const file = join(out, 'model.json')
  makeFolder(out)
  if (statSync(file, { throwIfNoEntry: false })) {
    const before = readJson(file, modelSchema)
    if (before.model === model.model && before.written === model.written) return
    throw new UserError(`${out} holds answers of another model, ${before.model}: name another folder, or delete it`)
  }
  writeJson(file, model)
}

/** The same again: for a message. */
function commandOf(path: string, { data, only, limit, choices, thinking, out }: Options): string {
  const option = (name: string, value: string | undefined) =>
    value === undefined ? '' : ` --${name} ${shellQuote(value)}`
  return [
    `rwml benchmark ${shellQuote(path)}`,
    option('data', data),
    only ? ` --only ${only.join(' ')}` : '',
    limit > 0 ? ` --limit ${limit}` : '',
    choices === 'letter' ? '' : ` --choices ${choices}`,
    option('thinking', thinking),
    option('out', out),
  ].join('')
}

function tableOf(results: readonly BenchmarkResult[]): string {
  return textTable({
    columns: [
      { header: 'benchmark' },
      { header: 'measure' },
      { header: 'questions', align: 'right' },
      { header: 'too long', align: 'right' },
      { header: 'result', align: 'right' },
      { header: '95% interval', align: 'right' },
    ],
    rows: results.flatMap(({ title, questions, leftOut, measures }) =>
      measures.map(({ name, unit, value, interval }) => {
        const text = (one: number) => (unit === 'share' ? (100 * one).toFixed(1) : one.toFixed(3))
        return [
          title,
          unit === 'share' ? `${name}, %` : name,
          `${questions}`,
          `${leftOut}`,
          value === null ? 'not measured' : text(value),
          interval ? `${text(interval.low)} to ${text(interval.high)}` : '',
        ]
      }),
    ),
  })
}
