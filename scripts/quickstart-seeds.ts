/**
 * `npm run quickstart:seeds [-- --seeds 5]`: the quickstart from several seeds, one after the other, and what rose in how
 * many of them. Writes docs/results/quickstart-seeds.md. Goes on where it was interrupted; finished seeds are only read.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { markdownTable } from '../src/cli/table.ts'
import { mean, sd } from '../src/core/index.ts'
import type { EvaluationResult } from '../src/evaluation/index.ts'
import { measuresOf } from '../src/reports/index.ts'
import { RunFolder, writeFileAtomic } from '../src/store/index.ts'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '5' }, out: { type: 'string', default: 'runs/seeds' } },
})
const seeds = Array.from({ length: Number(values.seeds) }, (_, seed) => seed)
const main = join(import.meta.dirname, '..', 'dist', 'cli', 'main.js')

const results = seeds.map((seed) => {
  const out = join(values.out, `${seed}`)
  const isFinished = () => existsSync(join(out, 'run.json')) && RunFolder.open(out).readInfo().status === 'finished'
  if (!isFinished()) {
    const args = [main, 'quickstart', '--seed', `${seed}`, '--out', out, '--resume']
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
    if (status !== 0) process.exit(status ?? 1)
  }
  const evaluation = JSON.parse(readFileSync(join(out, 'evaluation.json'), 'utf8')) as EvaluationResult
  return { seed, evaluation, info: RunFolder.open(out).readInfo(), seconds: secondsOf(out) }
})

/** Time of all stages of a run. */
function secondsOf(out: string): number {
  const stages = ['collect', 'reward', 'filter', 'world-model-rl', 'policy-rl', 'evaluate']
  return stages.reduce((sum, stage) => {
    const record = JSON.parse(readFileSync(join(out, 'stages', stage, 'stage.json'), 'utf8')) as { seconds: number }
    return sum + record.seconds
  }, 0)
}

const arms = results[0].evaluation.arms.map(({ arm }) => arm)
const wanted = ['success:seen', 'success:unseen', 'invalid', 'exact']
const figure = (value: number) => (100 * value).toFixed(1)
const rows = results.flatMap(({ seed, evaluation, seconds }) => {
  const measures = measuresOf(evaluation)
  return arms.map((arm, i) => [
    i === 0 ? `${seed}` : '',
    arm,
    ...wanted.map((id) => figure(measures.find((measure) => measure.id === id)?.arms[i]?.value ?? Number.NaN)),
    i === 0 ? `${(seconds / 60).toFixed(1)} min` : '',
  ])
})
const columns = [
  'seed',
  'model',
  'success, seen %',
  'success, unseen %',
  'invalid actions %',
  'next state exact %',
  'time',
]
const change = (id: string, from: number, to: number) =>
  results.map(({ evaluation }) => {
    const measure = measuresOf(evaluation).find((one) => one.id === id)
    return (measure?.arms[to]?.value ?? Number.NaN) - (measure?.arms[from]?.value ?? Number.NaN)
  })
const last = arms.length - 1
const sentence = (what: string, changes: number[]) =>
  `* ${what}: rose on ${changes.filter((value) => value > 0).length} of ${changes.length} seeds, by ${figure(mean(changes))} ± ${figure(sd(changes))} points (mean ± sd over seeds).`
const { info } = results[0]
const text = `# The quickstart from ${seeds.length} seeds

\`npm run quickstart:seeds -- --seeds ${seeds.length}\`, version ${info.version}, ${info.machine.cores} cores (${info.machine.cpu}). Held-out households; success is the
mean over ${results[0].evaluation.settings.runs} evaluation runs at temperature ${results[0].evaluation.settings.temperature}. Every seed has households of its own, for
training and for evaluation, and draws of its own; the base model is the same.

${markdownTable({ columns: columns.map((header, i) => ({ header, align: i < 2 ? 'left' : 'right' })), rows })}

${sentence('World-model accuracy, base → after world-model RL', change('exact', 0, 1))}
${sentence('World-model accuracy, base → end', change('exact', 0, last))}
${sentence('Success on unseen layouts, base → after world-model RL', change('success:unseen', 0, 1))}
${sentence('Success on unseen layouts, base → end', change('success:unseen', 0, last))}
${sentence('Success on seen layouts, base → end', change('success:seen', 0, last))}

There is no arm here that had policy RL without world-model RL, so nothing follows on whether the first helps the second.
`
writeFileAtomic(join(import.meta.dirname, '..', 'docs', 'results', 'quickstart-seeds.md'), text)
console.log(text)
