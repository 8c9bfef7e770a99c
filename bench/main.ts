/**
 * `npm run bench [-- alfworld|tau2|training|decoding|weights|clients …]`: speed and memory, printed as a table and written to
 * `bench/results/<name>.json`. PyTorch is measured in the same run, turn by turn, where `import torch` works.
 * `npm run bench -- peers`, which takes hours and a model, is a bench of its own: see `bench/peers/main.ts`.
 */
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { markdownTable } from '../src/cli/table.ts'
import { writeFileAtomic } from '../src/store/index.ts'
import { benchAlfworld } from './alfworld.ts'
import { benchClients } from './clients.ts'
import { benchDecoding } from './decode.ts'
import { benchTraining } from './engine.ts'
import type { Row } from './row.ts'
import { benchTau2 } from './tau2.ts'
import { benchWeights } from './weights.ts'

const benches: Record<string, () => Promise<Row[]>> = {
  alfworld: benchAlfworld,
  tau2: benchTau2,
  training: benchTraining,
  decoding: benchDecoding,
  weights: benchWeights,
  clients: benchClients,
}

const wanted = process.argv.slice(2)
if (wanted[0] === 'peers') {
  const { benchPeers } = await import('./peers/main.ts')
  process.exit(await benchPeers(wanted.slice(1)))
}
const unknown = wanted.find((name) => !(name in benches))
if (unknown !== undefined) {
  console.error(`no bench is called "${unknown}"; there are ${Object.keys(benches).join(', ')} and peers`)
  process.exit(2)
}

const figure = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3))

for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.error(`${name} …`)
  const rows = await bench()
  if (rows.length === 0) continue
  const machine = { cpu: cpus()[0].model, cores: cpus().length, memory: totalmem(), node: process.version }
  const result = { command: `npm run bench -- ${name}`, date: new Date().toISOString().slice(0, 10), machine, rows }
  writeFileAtomic(join(import.meta.dirname, 'results', `${name}.json`), `${JSON.stringify(result, null, 2)}\n`)
  console.log(
    `\n${markdownTable({
      columns: [{ header: name }, { header: 'value', align: 'right' }, { header: 'unit' }, { header: 'target' }],
      rows: rows.map((row) => [row.name, figure(row.value), row.unit, row.target ?? '']),
    })}`,
  )
}
