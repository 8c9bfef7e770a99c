/**
 * Measures a base before any reinforcement learning: `npm run measure:mini -- MODEL [--split base|unseen]`. Choices are
 * made on the base's own family of layouts (other seeds than it was trained on); `unseen` is looked at once, at the end.
 */
import { parseArgs } from 'node:util'
import { openLocalEngine } from '../src/engines/index.ts'
import { alfworldEnvironment } from '../src/environments/index.ts'
import { writeFileAtomic } from '../src/store/index.ts'
import { loadChatFormat } from '../src/tokens/index.ts'
import { type BaseMeasure, measureBase } from './mini/measure.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    split: { type: 'string', default: 'base' },
    size: { type: 'string', default: 'small' },
    tasks: { type: 'string', default: '300' },
    transitions: { type: 'string', default: '400' },
    threads: { type: 'string', default: '2' },
    out: { type: 'string' },
    show: { type: 'boolean', default: false },
  },
})
const folder = positionals[0] ?? 'models/mini'
const { split } = values
if (split !== 'base' && split !== 'unseen' && split !== 'train') throw new Error('--split is base, train or unseen')
const size = values.size === 'full' ? 'full' : 'small'

/** Households other than those it was trained on: `base` ones share its layouts, `unseen` ones do not. */
const SEED = 2 ** 33

const engine = await openLocalEngine(folder, { threads: Number(values.threads) })
const format = loadChatFormat(folder)
const environment = alfworldEnvironment({
  generate: { size, counts: { [split]: Number(values.tasks) }, seed: SEED },
})
const results: Record<string, BaseMeasure> = {}
for (const temperature of [1, 0.4]) {
  const measure = await measureBase({
    environment,
    tasks: environment.tasks(split),
    format,
    sampler: engine.trainer().sampler(),
    maxSteps: size === 'small' ? 12 : 30,
    temperature,
    transitions: Number(values.transitions),
    groupSize: 8,
    seed: 1,
    onEpisode: values.show ? console.log : undefined,
  })
  results[`temperature ${temperature}`] = measure
  const percent = (value: number | null) => (value === null ? '-' : `${(100 * value).toFixed(1)} %`)
  console.log(
    [
      `temperature ${temperature}`,
      `success ${percent(measure.success)}`,
      `invalid ${percent(measure.invalidShare)}`,
      `grounding ${percent(measure.grounding)}`,
      `parsed ${percent(measure.parseRate)} and ${percent(measure.predictionParseRate)}`,
      `next state exact ${percent(measure.predictionExact)}`,
      `groups with variance ${percent(measure.groupsWithVariance)}`,
    ].join(', '),
  )
  for (const [kind, { n, exact, variance }] of Object.entries(measure.byKind)) {
    console.log(`  ${kind}: ${n} transitions, exact ${percent(exact / n)}, with variance ${percent(variance / n)}`)
  }
  for (const [kind, { solved, episodes }] of Object.entries(measure.successByKind)) {
    console.log(`  ${kind}: ${solved} of ${episodes}`)
  }
}
if (values.out) writeFileAtomic(values.out, `${JSON.stringify({ folder, split, size, results }, null, 2)}\n`)
await engine.close()
