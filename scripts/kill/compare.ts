import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { canonicalJson, readSafetensors } from '../../src/store/index.ts'

/** What two runs of the same settings may differ in: when they ran, how long, and how much work was done twice. */
const VOLATILE = new Set([
  'time',
  'startedAt',
  'finishedAt',
  'seconds',
  'tokensSampled',
  'tokensTrained',
  'tokensRead',
  'flops',
])
const WITH_VOLATILE = new Set(['metrics.jsonl', 'run.json', 'stage.json'])

/** Made from the other files, and says how long the run took. */
const DERIVED = new Set(['report.md', 'report.html'])

/** Every file of a run folder, by name; a file that should not be there is a difference like any other. */
function filesOf(run: string): string[] {
  const names = readdirSync(run, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !DERIVED.has(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(run.length + 1))
  return names.sort()
}

/** What a file holds, as named parts that can be compared one by one: lines, tensors, or the whole. */
function* partsOf(path: string): Generator<[name: string, content: string]> {
  const clean = (text: string): unknown => {
    const drop = WITH_VOLATILE.has(basename(path))
    return JSON.parse(text, (key, value) => (drop && VOLATILE.has(key) ? undefined : value))
  }
  if (path.endsWith('.jsonl')) {
    const lines = readFileSync(path, 'utf8').split('\n')
    for (const [i, line] of lines.entries()) yield [`line ${i + 1}`, line === '' ? '' : canonicalJson(clean(line))]
  } else if (path.endsWith('.json')) {
    yield ['', canonicalJson(clean(readFileSync(path, 'utf8')))]
  } else if (path.endsWith('.safetensors')) {
    const { tensors, metadata } = readSafetensors(path)
    yield ['metadata', canonicalJson(metadata)]
    for (const [name, { shape, data }] of tensors) {
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      yield [`tensor ${name}`, `[${shape}] ${createHash('sha256').update(bytes).digest('hex')}`]
    }
  } else {
    yield ['', createHash('sha256').update(readFileSync(path)).digest('hex')]
  }
}

/** The first thing in which two run folders differ, in words; null where they are equal. */
export function firstDifference(expected: string, found: string): string | null {
  const [wanted, there] = [filesOf(expected), filesOf(found)]
  const missing = wanted.find((name) => !there.includes(name))
  if (missing) return `${missing} is missing`
  const extra = there.find((name) => !wanted.includes(name))
  if (extra) return `${extra} should not be there`
  for (const name of wanted) {
    const right = partsOf(join(found, name))
    for (const [part, content] of partsOf(join(expected, name))) {
      const other = right.next().value
      if (other?.[1] !== content) return `${name} ${part}: ${excerpts(content, other?.[1] ?? 'nothing')}`
    }
    const more = right.next().value
    if (more) return `${name}: ${more[0]} should not be there`
  }
  return null
}

/** Both texts from shortly before where they part. */
function excerpts(expected: string, found: string): string {
  let at = 0
  while (at < expected.length && expected[at] === found[at]) at++
  const cut = (text: string) => text.slice(Math.max(0, at - 40), at + 40)
  return `expected …${cut(expected)}…, found …${cut(found)}…`
}

/** One hash of everything that `firstDifference` compares. */
export function runHash(run: string): string {
  const hash = createHash('sha256')
  for (const name of filesOf(run)) {
    for (const [part, content] of partsOf(join(run, name))) hash.update(`${name}\n${part}\n${content}\n`)
  }
  return hash.digest('hex')
}
