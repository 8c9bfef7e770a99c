/** Random command lines: whatever is typed, an exit code that says what happened, one readable answer, nothing half-written. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { UserError } from '../core/index.ts'
import { buildProgram, runCommandLine } from './program.ts'

// A run itself takes minutes and has tests of its own: here it is refused at its door, after all that is read before.
vi.mock('../methods/index.ts', async (original) => ({
  ...(await original<typeof import('../methods/index.ts')>()),
  openRun: () => Promise.reject(new UserError('no run is opened here')),
}))

const SEED = 20_260_205
const here = process.cwd()
const data = resolve(import.meta.dirname, '../environments/alfworld/testing')
const folder = mkdtempSync(join(tmpdir(), 'rwml-fuzz-'))

beforeAll(() => {
  process.chdir(folder)
  mkdirSync('folder')
  mkdirSync(join('folder', 'valid_seen'))
  cpSync(data, folder, { recursive: true })
  writeFileSync('file', 'some text\n')
  writeFileSync('broken.jsonl', '{"game": "x", "version"')
  writeFileSync('run.json', '{"method": 3}')
})
afterAll(() => {
  process.chdir(here)
  rmSync(folder, { recursive: true })
})

/** End only when they are told to. */
const ENDLESS = new Set(['serve', 'reward'])

/** Every command that does something, with the words that name it. */
function leaves(command: Command, words: string[] = []): { words: string[]; command: Command }[] {
  if (command.commands.length === 0) return ENDLESS.has(command.name()) ? [] : [{ words, command }]
  return command.commands.flatMap((child) => leaves(child, [...words, child.name()]))
}

const numbers = ['0', '1', '2', '3', '-1', '1.5', '1e999', 'NaN', '9007199254740993', '٣', '0x2', '-0', ' 2 ', '1_000']
const paths = [
  '',
  ' ',
  'nowhere',
  '/proc/x/y',
  '/proc/x',
  'file',
  'file/below',
  'folder',
  '.',
  'broken.jsonl',
  'ünï',
  'a b',
  '-',
  '--',
  'x'.repeat(300),
]
const real = ['tiny-2.1.2', 'tiny-2.1.1', 'tiny-traces.jsonl']
const number = fc.constantFrom(...numbers)
const path = fc.constantFrom(...paths, ...real, ...real)
const strange = fc.constantFrom(
  'seed=1',
  'policy.steps=x',
  'a=',
  '=',
  'small',
  'full',
  'huge',
  '\u0000',
  '🙂',
  '\n',
  "'; rm -rf",
  '%s%n',
  '__proto__',
)
// Nothing is written outside of the test's own folder.
const text = fc.string({ maxLength: 12 }).filter((one) => !/^\/|\.\./.test(one))
const value = fc.oneof(number, path, strange, text)

/** Mostly a value of the sort that an option takes: nonsense alone seldom comes far. */
function valueFor(flag: string): fc.Arbitrary<string> {
  const fitting = /seed|count|minutes|steps|port|threads/.test(flag) ? number : path
  return fc.oneof({ weight: 4, arbitrary: fitting }, { weight: 1, arbitrary: value })
}

function lineOf({ words, command }: { words: string[]; command: Command }): fc.Arbitrary<string[]> {
  const option = ({ long, short, required, optional, mandatory }: Command['options'][number]) => {
    const flag = long ?? short ?? ''
    const given =
      required || optional ? valueFor(flag).map((text): string[] => [flag, text]) : fc.constant<string[]>([flag])
    return fc.option<string[], string[]>(given, { nil: [], freq: mandatory ? 8 : 1 })
  }
  const wrong = fc.oneof(
    { weight: 6, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.constantFrom(['--debugg'], ['-x'], ['--help'], ['--seed']) },
  )
  const rest = fc.array(fc.oneof(path, value), { maxLength: command.registeredArguments.length > 0 ? 2 : 0 })
  return fc.tuple(fc.tuple(...command.options.map(option)), wrong, rest).map((parts) => [...words, ...parts.flat(2)])
}

const lines = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...leaves(buildProgram())).chain(lineOf) },
  { weight: 1, arbitrary: fc.array(value, { maxLength: 4 }) },
)

/** Files that a reader would take for whole ones and that are not, or that nobody will ever read. */
function leftovers(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(tmp|lock)$/.test(name))
}

function judge(words: string[], status: number, errors: string): void {
  const what = JSON.stringify(words)
  expect([0, 1, 2, 130], `${what}: ${errors}`).toContain(status)
  expect(errors, what).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m)
  expect(errors, what).not.toMatch(/unexpected error|unhandled|Warning:/i)
  if (status !== 0) expect(errors.trim(), what).not.toBe('')
  expect(leftovers(), what).toEqual([])
}

describe('the command line', () => {
  it('answers anything that is typed', { timeout: 600_000 }, async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    await fc.assert(
      fc.asyncProperty(lines, async (words) => {
        const errors: string[] = []
        const take = (list: string[]) => (text: unknown) => {
          list.push(String(text))
          return true
        }
        vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from(['look\n', 'quit\n']) as typeof process.stdin)
        vi.spyOn(process.stdout, 'write').mockImplementation(take([]))
        vi.spyOn(process.stderr, 'write').mockImplementation(take(errors))
        vi.spyOn(console, 'log').mockImplementation(take([]))
        vi.spyOn(console, 'error').mockImplementation(take(errors))
        process.exitCode = undefined
        try {
          await runCommandLine(words)
        } finally {
          vi.restoreAllMocks()
        }
        const status = Number(process.exitCode ?? 0)
        process.exitCode = undefined
        judge(words, status, errors.join('\n'))
      }),
      { seed: SEED, numRuns: 400 },
    )
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('does so as a process, too', { timeout: 600_000 }, () => {
    const main = resolve(import.meta.dirname, 'main.ts')
    const tsx = resolve(here, 'node_modules/tsx/dist/loader.mjs')
    // What would begin a run is left to the other test.
    const short = fc.sample(
      lines.filter(([name]) => name !== 'quickstart' && name !== 'run' && name !== 'study'),
      {
        seed: SEED,
        numRuns: 20,
      },
    )
    const wrong = [
      ['quickstart', '--data', ''],
      ['quickstart', '--data', '/proc/nowhere'],
      ['quickstart', '--data', 'folder'],
      ['quickstart', '--out', 'file/below'],
      ['--debugg'],
    ]
    for (const words of [...short, ...wrong]) {
      // No process can be given such a word at all.
      if (words.some((word) => word.includes('\u0000'))) continue
      const { status, stderr } = spawnSync(process.execPath, ['--import', tsx, main, ...words], {
        cwd: folder,
        encoding: 'utf8',
        input: 'look\nquit\n',
        timeout: 120_000,
      })
      judge(words, status ?? -1, stderr)
      if (wrong.includes(words)) expect(status, `${JSON.stringify(words)}: ${stderr}`).toBeGreaterThan(0)
    }
  })
})
