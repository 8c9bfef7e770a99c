/**
 * `npm run study:mini [-- --seeds 5]`: the miniature result. Every arm of `arms.ts` on each seed, evaluated on layouts that
 * nothing was chosen on and, where ALFWorld's data is, on its own held-out games; one record a seed is kept in
 * docs/results/mini/, from which docs/results/mini.md and its figure are written. Goes on where it was stopped; seeds whose
 * record is there are only read.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Progress } from '../../src/cli/progress.ts'
import { miniPreset, openRun, runMethod } from '../../src/methods/index.ts'
import { resolveConfig } from '../../src/stages/index.ts'
import { readJson, writeJson } from '../../src/store/index.ts'
import { gamesOf, studyMethod } from './arms.ts'
import { writePage } from './page.ts'
import { recordOf, type SeedRecord, seedSchema } from './record.ts'

/** The first seed: 0 to 4 had been evaluated before, by the quickstart. */
const FIRST_SEED = 101

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '5' },
    /** Only this seed, without the page: several processes can share the work. */
    only: { type: 'string' },
    threads: { type: 'string', default: '1' },
    data: { type: 'string', default: process.env.ALFWORLD_DATA ?? '' },
  },
})
const root = join(import.meta.dirname, '..', '..')
const recordFile = (seed: number) => join(root, 'docs', 'results', 'mini', `seed-${seed}.json`)

async function runSeed(seed: number): Promise<SeedRecord> {
  if (existsSync(recordFile(seed))) return readJson(recordFile(seed), seedSchema)
  const method = studyMethod(values.data ? gamesOf(values.data) : null)
  const out = join(root, 'runs', 'mini-study', `${seed}`)
  const overrides = {
    seed,
    'environment.tasks.unseen': 300,
    'model.threads': Number(values.threads),
    'reward.embedder': 'lexical',
  }
  const run = await openRun({
    out,
    resolved: resolveConfig(miniPreset, overrides),
    method,
    command: 'npm run study:mini',
    resume: true,
    progress: new Progress(),
    signal: new AbortController().signal,
    warn: (message) => console.error(message),
  })
  await runMethod(method, run.context)
  await run.close('finished')
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const record = recordOf(
    out,
    method.stages.map(({ name }) => name),
    seed,
    commit,
  )
  writeJson(recordFile(seed), record)
  return record
}

if (values.only !== undefined) await runSeed(Number(values.only))
else {
  const records: SeedRecord[] = []
  for (let i = 0; i < Number(values.seeds); i++) records.push(await runSeed(FIRST_SEED + i))
  writePage(root, records)
}
