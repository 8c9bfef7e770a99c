/**
 * `npm run kill:matrix [-- --kills 100]`: kills a run from outside, at random moments and in several ways, in every stage,
 * resumes it until it ends, and compares what it left with an undisturbed run. Writes docs/results/kill-matrix.md. Goes on
 * where it was interrupted; a trial whose run differs keeps its folder.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { markdownTable } from '../src/cli/table.ts'
import { UserError } from '../src/core/index.ts'
import { JsonLines, makeFolder, readJson, writeFileAtomic, writeJson } from '../src/store/index.ts'
import { firstDifference, runHash } from './kill/compare.ts'
import { CLOCK_JUMPS } from './kill/process.ts'
import { KINDS, type Kill, reference, STAGES, trial } from './kill/trial.ts'

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '100' }, out: { type: 'string', default: 'runs/kill-matrix' } },
})
const wanted = Number(values.kills)
const root = join(import.meta.dirname, '..')
/** Every so many trials run with a clock that jumps. */
const JUMP_EVERY = 3

const profileSchema = z.object({ source: z.string(), stages: z.record(z.string(), z.number()) })
const killSchema = z.object({
  kind: z.enum(KINDS),
  meant: z.string(),
  share: z.number(),
  fell: z.string(),
  fault: z.string().nullable(),
})
const trialSchema = z.object({
  seed: z.int(),
  clockJumps: z.boolean(),
  kills: z.array(killSchema),
  hash: z.string(),
  difference: z.string().nullable(),
  seconds: z.number(),
})
type Trial = z.infer<typeof trialSchema>

/** What the trials speak of: all of the sources. */
function sourceHash(): string {
  const hash = createHash('sha256')
  for (const folder of ['src', 'scripts/kill']) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    for (const name of names.filter((one) => /\.(ts|mjs)$/.test(one)).sort()) {
      hash.update(`${name}\n`).update(readFileSync(join(root, folder, name)))
    }
  }
  return hash.digest('hex')
}

const undisturbed = join(values.out, 'reference')
const profileFile = join(values.out, 'profile.json')
makeFolder(values.out)
const trials = new JsonLines(join(values.out, 'trials.jsonl'), trialSchema)
if (trials.length === 0) {
  rmSync(undisturbed, { recursive: true, force: true })
  writeJson(profileFile, { source: sourceHash(), stages: await reference(undisturbed) })
}
const { source, stages } = readJson(profileFile, profileSchema)
if (source !== sourceHash()) {
  throw new UserError(`the trials in ${values.out} are of other sources: name another --out, or delete it`)
}
const expected = runHash(undisturbed)

const count = () => [...trials].reduce((sum, one) => sum + one.kills.length, 0)
while (count() < wanted) {
  const seed = trials.length
  const out = join(values.out, `trial-${seed}`)
  rmSync(out, { recursive: true, force: true })
  const began = performance.now()
  const clockJumps = seed % JUMP_EVERY === JUMP_EVERY - 1
  const kills = await trial(seed, out, stages, clockJumps ? CLOCK_JUMPS : [])
  const difference = firstDifference(undisturbed, out)
  const seconds = (performance.now() - began) / 1000
  trials.append([{ seed, clockJumps, kills, hash: runHash(out), difference, seconds }])
  const faults = kills.flatMap((kill) => kill.fault ?? [])
  console.log(
    `seed ${seed}: ${kills.length} kills, ${difference ?? 'equal'}${faults.map((fault) => `; ${fault}`).join('')} (${seconds.toFixed(0)} s)`,
  )
  if (difference === null) rmSync(out, { recursive: true, force: true })
}

function table(all: Trial[]): string {
  const kills = all.flatMap((one) => one.kills)
  const number = (select: (kill: Kill) => boolean) => String(kills.filter(select).length)
  const rows = [...STAGES, 'all'].map((stage) => {
    const here = (kill: Kill) => stage === 'all' || kill.fell === stage
    return [stage, ...KINDS.map((kind) => number((kill) => here(kill) && kill.kind === kind)), number(here)]
  })
  const columns = ['killed in', ...KINDS, 'all'].map((header, i) => ({
    header,
    align: i === 0 ? ('left' as const) : ('right' as const),
  }))
  return markdownTable({ columns, rows })
}

const all = [...trials]
const different = all.filter((one) => one.difference !== null || one.hash !== expected)
const faults = all.flatMap((one) =>
  one.kills.flatMap((kill) => (kill.fault ? [`seed ${one.seed}: ${kill.fault}`] : [])),
)
const seconds = all.reduce((sum, one) => sum + one.seconds, 0)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const text = `# Killed and resumed

\`npm run kill:matrix -- --kills ${values.kills}\`, version ${version}, Node ${process.version}, ${availableParallelism()} cores (${cpus()[0].model}), ${(seconds / 60).toFixed(0)} minutes.

A small run of the whole method (\`rwml run scripts/kill/experiment.ts\`) is killed with SIGKILL by another process, in each stage
at a moment drawn uniformly over the time the stage takes undisturbed, and resumed, until it ends. Then everything in its folder
(metrics, every rollout, verdicts, records, evaluation, weights, optimiser states, and that no other file is left) is compared
with an undisturbed run's; left out are times and the tokens counted for work that was done twice.

**${count()} kills in ${all.length} runs (seeds 0 to ${all.length - 1}); ${different.length} of the runs differ from the undisturbed one.**
${different.map((one) => `\n* seed ${one.seed}: ${one.difference}`).join('')}
${table(all)}

* **open**: from the start of the process to the first stage; **close**: after the last.
* **moment**: the process alone. **group**: the whole process group. **twice**: and again while the resumed run was still reading.
* **write**: within 8 ms of the first write to the folder after that moment, most of them sooner.
* **stopped**: halted first (SIGSTOP), while a second process tried to work in the folder, then killed. Second processes that were
  not refused with the first's name: ${faults.length}.
${faults.map((fault) => `  * ${fault}\n`).join('')}* In every ${JUMP_EVERY}rd run the clock jumped at random by up to a week, each time it was read.

Hash of all that was compared: \`${expected.slice(0, 16)}\`${different.length === 0 ? ', the same in every run' : ''}.
`
writeFileAtomic(join(root, 'docs', 'results', 'kill-matrix.md'), text)
console.log(`\n${text}`)
process.exitCode = different.length + faults.length > 0 ? 1 : 0
