import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, extname, join, resolve, sep } from 'node:path'
import { UserError } from '../core/index.ts'
import { type Benchmark, limited } from './benchmark.ts'
import type { ChoiceStyle } from './choice.ts'
import { FORMATS } from './data/rows.ts'
import { readGpqa } from './gpqa.ts'
import { readGsm8k } from './gsm8k.ts'
import { readIfevalBenchmark } from './ifeval.ts'
import { readMath500 } from './math500.ts'
import { readMmluRedux } from './mmlu-redux.ts'

interface Published {
  /** Of its files, the folder itself included. */
  path: RegExp
  /** Of files that go with it and are no test. */
  not?: RegExp
  read(paths: string[], options: { style?: ChoiceStyle }): Promise<Benchmark>
}

/** By name; found by what files and folders are called. */
const PUBLISHED: Record<string, Published> = {
  'mmlu-redux': { path: /mmlu[-_]?redux/i, read: readMmluRedux },
  'gpqa-diamond': { path: /gpqa[-_]diamond/i, read: readGpqa },
  gsm8k: { path: /gsm8k/i, not: /train|socratic/i, read: readGsm8k },
  'math-500': { path: /math[-_]?500/i, read: readMath500 },
  ifeval: { path: /ifeval|instruction_following_eval/i, not: /response/i, read: readIfevalBenchmark },
}

/** What tools write beside any data set. */
const NO_TABLE = /dataset_infos?|(?:^|[/\\])state\.json$/i

/** What `readBenchmarks` knows. */
export const BENCHMARKS: readonly string[] = Object.keys(PUBLISHED)

export interface ReadBenchmarksOptions {
  /** Names of those to read. Default: all that are there. */
  only?: readonly string[]
  /** Of multiple choice. Default `letter`. */
  style?: ChoiceStyle
  /** Questions of each at most, a seeded sample; 0 = all. Default 0. */
  limit?: number
  /** Of the sample. Default 0. */
  seed?: number
}

/**
 * The published benchmarks in a folder, in the formats they are published in; known by the names of files and folders.
 * @throws UserError where none is there, or one of those named is not.
 */
export async function readBenchmarks(folder: string, options: ReadBenchmarksOptions = {}): Promise<Benchmark[]> {
  const { only, style, limit = 0, seed } = options
  const unknown = only?.find((name) => !BENCHMARKS.includes(name))
  if (unknown !== undefined) {
    throw new UserError(`no benchmark is called "${unknown}"; there are ${BENCHMARKS.join(', ')}`, 2)
  }
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UserError(`${folder} is no folder: give the one that the benchmarks were downloaded into`)
  }
  const files = dataFiles(folder)
  const found: Benchmark[] = []
  for (const [name, { path, not, read }] of Object.entries(PUBLISHED)) {
    if (only && !only.includes(name)) continue
    const own = files.filter(({ named }) => path.test(named) && !not?.test(named)).map((file) => file.path)
    if (own.length > 0) found.push(limited(await read(own, { style }), limit, seed))
    else if (only) throw new UserError(`${folder} has no files of ${name}: see docs/benchmarks.md for their names`)
  }
  if (found.length > 0) return found
  throw new UserError(`${folder} has no files of ${BENCHMARKS.join(', ')}: see docs/benchmarks.md for their names`)
}

/** Tables below a folder in the order of their names, and what each is called, the folder's own name included. */
function dataFiles(folder: string): { path: string; named: string }[] {
  const name = basename(resolve(folder))
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => FORMATS.includes(extname(path).toLowerCase()) && !NO_TABLE.test(path))
    .filter((path) => !path.split(sep).some((part) => part.startsWith('.')))
    .sort()
    .map((path) => ({ path: join(folder, path), named: join(name, path) }))
}
