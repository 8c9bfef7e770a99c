/**
 * `npm run bench -- peers [--only a,b] [--quick]`: our engine beside Python's on one model, prompts and threads, in turns.
 *
 * Every measurement is kept in `bench/results/peers.json` as soon as it is made, so a run that was stopped goes on where it was;
 * a finished part is measured again when it is named. `--quick` tries everything at tiny sizes and keeps it elsewhere.
 */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { markdownTable } from '../../src/cli/table.ts'
import { UserError } from '../../src/core/index.ts'
import { writeFileAtomic } from '../../src/store/index.ts'
import { decoding } from './decode.ts'
import { scalingFigure } from './figure.ts'
import { groupGradient } from './group.ts'
import { wholeStep } from './grpo.ts'
import type { Part } from './part.ts'
import { ResultFile } from './result-file.ts'
import { scaling } from './scaling.ts'
import { makeSetup, PEERS, type Setup } from './setup.ts'
import { FULL, QUICK } from './sizes.ts'
import { trainingStep } from './step.ts'

const PARTS: { [letter: string]: Part } = {
  a: trainingStep,
  b: groupGradient,
  c: wholeStep,
  d: decoding,
  e: scaling,
}

const root = join(import.meta.dirname, '..', '..')

/** @returns The exit code. */
export async function benchPeers(args: string[]): Promise<number> {
  try {
    await run(args)
    return 0
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    console.error(error.message)
    return error.exitCode
  }
}

interface Options {
  letters: string[]
  /** Whether parts were named. */
  named: boolean
  quick: boolean
}

function readOptions(args: string[]): Options {
  let values: { only?: string; quick?: boolean }
  try {
    values = parseArgs({ args, options: { only: { type: 'string' }, quick: { type: 'boolean' } } }).values
  } catch (error) {
    throw new UserError(`bench peers: ${(error as Error).message}; there are --only a,b and --quick`, 2)
  }
  const letters = values.only?.split(',') ?? Object.keys(PARTS)
  const unknown = letters.find((letter) => !Object.hasOwn(PARTS, letter))
  if (unknown !== undefined) {
    throw new UserError(`bench peers has no part "${unknown}"; there are ${Object.keys(PARTS).join(', ')}`, 2)
  }
  return { letters, named: values.only !== undefined, quick: values.quick ?? false }
}

async function run(args: string[]): Promise<void> {
  const { letters, named, quick } = readOptions(args)
  const setup = await makeSetup(quick ? QUICK : FULL)
  const missing = PEERS.filter((peer) => !setup.peers.has(peer))
  if (missing.length > 0) console.error(`not installed, so left out: ${missing.join(', ')}`)
  const results = quick ? join(root, '.cache', 'peers') : join(root, 'bench', 'results')
  mkdirSync(results, { recursive: true })
  const record = new ResultFile(join(results, quick ? 'quick.json' : 'peers.json'), 'npm run bench -- peers')
  for (const letter of letters) {
    await measure(PARTS[letter], letter, setup, record, named)
    show(PARTS[letter], letter, setup, record)
  }
  draw(setup, record, quick ? results : join(root, 'docs', 'results'))
}

/** What is missing; all of a part that is finished and named. */
async function measure(part: Part, letter: string, setup: Setup, record: ResultFile, named: boolean): Promise<void> {
  const cells = part.cells(setup)
  if (named && cells.every(({ key }) => record.has(key, setup.peers))) record.forget(cells.map(({ key }) => key))
  for (const { key, peers, measure } of cells) {
    if (record.has(key, setup.peers)) continue
    console.error(`${letter}. ${part.title}: ${key} …`)
    const start = performance.now()
    record.keep(key, setup, peers, await measure(setup))
    console.error(`  ${Math.round((performance.now() - start) / 1000)} s`)
  }
}

const figure = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3))

/** Whether a value is what its target says, `<= 2` or `>= 2`. */
function met(value: number, target: string): boolean {
  const [sign, bound] = target.split(' ')
  return sign === '<=' ? value <= Number(bound) : value >= Number(bound)
}

function show(part: Part, letter: string, setup: Setup, record: ResultFile): void {
  const rows = part.rows((key) => record.cells.get(key)?.samples, setup.sizes)
  console.log(
    `\n${markdownTable({
      columns: [
        { header: `${letter}. ${part.title}` },
        { header: 'value', align: 'right' },
        { header: 'unit' },
        { header: 'wanted' },
      ],
      rows: rows.map(({ name, value, unit, target }) => [
        name,
        figure(value),
        unit,
        target ? `${target}${met(value, target) ? '' : ', missed'}` : '',
      ]),
    })}`,
  )
}

function draw(setup: Setup, record: ResultFile, folder: string): void {
  const drawing = scalingFigure((key) => record.cells.get(key)?.samples, setup.sizes)
  if (drawing === null) return
  const path = join(folder, 'peers-scaling.svg')
  mkdirSync(dirname(path), { recursive: true })
  writeFileAtomic(path, drawing)
  console.error(`drawn: ${path}`)
}
