import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..', 'src')

/** What ships: no tests, and nothing that only they use. */
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(ts|mts|js|mjs)$/.test(path) && !/\.test\.ts$|(^|\/)testing\//.test(path))
  .map((path) => ({ path, code: withoutComments(readFileSync(join(root, path), 'utf8')) }))

/** Prose may speak of what code may not do. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

/** Lines that match, as `file: line`, but for those of the files that may. */
function found(pattern: RegExp, allowed: readonly string[] = []): string[] {
  return sources.flatMap(({ path, code }) =>
    allowed.includes(path)
      ? []
      : code.split('\n').flatMap((line) => (pattern.test(line) ? [`${path}: ${line.trim()}`] : [])),
  )
}

describe('nothing that a model or a server says is executed:', () => {
  it('there is nothing that executes text', () => {
    // Texts of Python errors speak of its eval().
    expect(found(/(?<![\w.'`"])eval\s*\((?!\) arg)|globalThis\.eval|\bnew Function\b|\bFunction\s*\(['"`]/)).toEqual([])
    expect(found(/['"](?:node:)?(?:vm|repl|inspector|child_process|cluster|wasi)['"]/, TIMED)).toEqual([])
    expect(found(/\bset(?:Timeout|Interval|Immediate)\s*\(\s*['"`]/)).toEqual([])
    expect(found(/new Worker\((?!.*(?:new URL\(|programUrl))/)).toEqual([])
    expect(found(/process\.(?:binding|dlopen)|_linkedBinding/)).toEqual([])
    // The kernel is bytes of our own.
    expect(found(/WebAssembly/, ['engines/local/kernel/kernel.ts'])).toEqual([])
  })

  it('modules are named in the source, but for the experiment file that the user names', () => {
    // A worker thread is started by way of a file that is given its name.
    const given = ['cli/doctor.ts', 'cli/experiment-file.ts', 'core/worker-from-source.mjs']
    expect(found(/\bimport\s*\(\s*(?!['"])/, given)).toEqual([])
    expect(found(/\b(?:createRequire|require)\b/, PACKAGES)).toEqual([])
    expect(found(/createJiti|\.import</).map((line) => line.split(':')[0])).toEqual([
      'cli/experiment-file.ts',
      'cli/experiment-file.ts',
      'cli/experiment-file.ts',
    ])
  })

  it('patterns are written here, but for those of a benchmark file and names that are escaped', () => {
    // Anything that goes into a pattern is a constant, in capitals, or on this list.
    const built = found(
      /\bRegExp\s*\((?!\s*(?:[A-Z_]+\b|String\.raw`[^$`]*(?:\$\{[A-Z_]+\}[^$`]*)*`|`[^$`]*(?:\$\{[A-Z_]+\}[^$`]*)*`))/,
    )
    expect([...new Set(built.map((line) => line.split(':')[0]))].sort()).toEqual(PATTERNS.map(([path]) => path).sort())
  })

  it('no key of an object from outside reaches a prototype', () => {
    expect(found(/__proto__|\.prototype\b\s*[[.]|Object\.setPrototypeOf|\b(?:merge|defaults)Deep\b/)).toEqual([])
  })
})

/** Uses `vm` for its clock alone: what runs in it is a constant. */
const TIMED = ['tokens/timed.ts']

/** They find files of packages that were installed with this one. */
const PACKAGES = ['engines/local/runtime.ts', 'benchmarks/ifeval/text/packages.ts']

/** Where patterns are put together at run time, and of what. */
const PATTERNS: [path: string, of: string][] = [
  ['benchmarks/choice.ts', 'the letters of the choices'],
  ['benchmarks/ifeval/rules/rule.ts', 'keywords of the benchmark’s own file'],
  ['benchmarks/ifeval/text/words.ts', 'a constant list of words'],
  ['benchmarks/latex/normalise.ts', 'a constant list of units'],
  ['environments/alfworld/variants.ts', 'names of receptacles that the game lists'],
  ['environments/tau2/users/phone.ts', 'names of permissions, a constant list'],
  ['serving/checked-app.ts', 'the server’s own routes'],
  ['studies/sharing.ts', 'names of stages, escaped'],
]
