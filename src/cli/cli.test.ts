import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type DoctorSurroundings, doctorCommand, doctorText, inspectMachine } from './doctor.ts'
import { buildProgram } from './program.ts'
import { formatDuration, Progress } from './progress.ts'
import { markdownTable, textTable } from './table.ts'

describe('Progress', () => {
  function start(isTTY: boolean) {
    const written: string[] = []
    let now = 0
    const stream = { isTTY, columns: 60, write: (text: string) => written.push(text) }
    const progress = new Progress(stream, () => now)
    progress.start('collect', 200)
    const pass = (ms: number) => {
      now += ms
    }
    return { written, progress, pass }
  }

  it('rewrites one line on a terminal, often but not always', () => {
    const { written, progress, pass } = start(true)
    progress.update(0)
    pass(50)
    progress.update(1)
    pass(1950)
    progress.update(20, 'solved 3')
    progress.finish('done')
    expect(written).toHaveLength(4)
    expect(written[1]).toBe('\rcollect  20/200  10 %  10.0/s  18 s left  solved 3')
    expect(written[2]).toMatch(/^\rcollect {2}20\/200 {2}2 s {2}done +$/)
    expect(written[3]).toBe('\n')
  })

  it('never writes a line wider than the terminal', () => {
    const { written, progress, pass } = start(true)
    pass(1000)
    progress.update(7, 'x'.repeat(100))
    expect(written[0].length).toBe(60)
  })

  it('writes plain lines elsewhere, seldom, without control characters', () => {
    const { written, progress, pass } = start(false)
    for (let step = 0; step <= 100; step++) {
      progress.update(step)
      pass(300)
    }
    progress.finish()
    expect(written).toHaveLength(4)
    expect(written[1]).toBe('collect  34/200  17 %  3.33/s  50 s left\n')
    for (const text of written) expect([...text.trimEnd()].every((character) => character >= ' ')).toBe(true)
  })

  it('does not count what an interrupted attempt did in the rate, and begins anew with each title', () => {
    const { written, progress, pass } = start(false)
    progress.update(100)
    pass(10_000)
    progress.update(110)
    expect(written[1]).toBe('collect  110/200  55 %  1.00/s  1 min 30 s left\n')
    progress.finish()
    progress.start('filter', 10)
    pass(2000)
    progress.update(1)
    expect(written[3]).toBe('filter  1/10  10 %  0.50/s  18 s left\n')
  })

  it('shows times as people say them', () => {
    expect([0.4, 59.6, 200, 7500].map(formatDuration)).toEqual(['0 s', '1 min 00 s', '3 min 20 s', '2 h 05 min'])
  })
})

describe('tables', () => {
  const table = {
    columns: [{ header: 'arm' }, { header: 'success', align: 'right' as const }],
    rows: [
      ['base', '13.0'],
      ['a|b\nc', 'é'],
    ],
  }

  it('align as text', () => {
    expect(textTable(table)).toBe(['arm    success', '-----  -------', 'base      13.0', 'a|b c        é'].join('\n'))
    expect(() => textTable({ ...table, rows: [['one']] })).toThrow(/2 columns has a row of 1/)
  })

  it('align as Markdown, with bars escaped', () => {
    expect(markdownTable(table)).toBe(
      ['| arm    | success |', '| ------ | ------: |', '| base   |    13.0 |', '| a\\|b c |       é |'].join('\n'),
    )
  })
})

describe('doctor', () => {
  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
    vi.restoreAllMocks()
    process.exitCode = undefined
  })
  function surroundings(over: Partial<DoctorSurroundings> = {}): DoctorSurroundings & { home: string } {
    const home = mkdtempSync(join(tmpdir(), 'rwml-doctor-'))
    folders.push(home)
    return {
      environment: {},
      home,
      nodeVersion: '20.1.0',
      load: async () => ({ env: { versions: { common: '1.2.3' } } }),
      ...over,
    }
  }

  it('finds data in the usual places and says what will run', async () => {
    const place = surroundings()
    mkdirSync(join(place.home, '.cache/alfworld/json_2.1.1/valid_train/game'), { recursive: true })
    mkdirSync(join(place.home, '.cache/alfworld/json_2.1.1/train'))
    const report = await inspectMachine(place)
    expect(report).toMatchObject({
      ok: true,
      onnxruntime: { version: '1.2.3', error: null },
      alfworld: { splits: ['valid_train'] },
    })
    expect(doctorText(report)).toMatch(/ALFWorld games +yes +no train split: valid_train stands in/)
    mkdirSync(join(place.home, 'own/valid_seen/game'), { recursive: true })
    const own = await inspectMachine({ ...place, environment: { ALFWORLD_DATA: join(place.home, 'own') } })
    expect(own.alfworld).toMatchObject({ path: join(place.home, 'own'), splits: ['valid_seen'] })
    expect(doctorText(own)).toMatch(/evaluation only/)
  })

  it('says what is missing', async () => {
    const load = () => Promise.reject(new Error('cannot open library\nstack'))
    const report = await inspectMachine(surroundings({ load, nodeVersion: '18.0.0' }))
    expect(report).toMatchObject({ ok: false, useLite: false, node: { ok: false } })
    const text = doctorText(report)
    expect(text).toContain('not usable: cannot open library')
    expect(text).toMatch(/quickstart on generated houses +no +needs Node 20/)
    expect(text).toMatch(/ALFWorld games +no +none in .*set ALFWORLD_DATA/)
  })

  it('prints one JSON object', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    await doctorCommand().parseAsync(['--json'], { from: 'user' })
    const report = JSON.parse(String(write.mock.calls.at(-1)?.[0]))
    expect(report).toMatchObject({ python: 'not needed', node: { ok: true } })
    expect(report.cores).toBeGreaterThan(0)
  })
})

describe('help', () => {
  /** What `--help` prints of a command, and the names of its children. */
  const helpOf = (command: Command): string => {
    let text = ''
    const writeOut = (part: string) => {
      text += part
    }
    command.configureOutput({ writeOut }).outputHelp()
    return text
  }
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)

  it('has an example for every command', () => {
    const program = buildProgram()
    const without = [program, ...leaves(program)].filter((command) => !/\nExamples?:\n/.test(helpOf(command)))
    expect(without.map((command) => command.name())).toEqual([])
  })
})
