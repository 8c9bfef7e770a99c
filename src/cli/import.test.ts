import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { recordedEnvironment } from '../environments/index.ts'
import { diagnose } from '../methods/index.ts'
import { loadReportInput } from '../reports/index.ts'
import { importCommand } from './import.ts'

let folder = ''
let printed: string[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-import-'))
  printed = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...words: string[]) => importCommand().exitOverride().parseAsync(words, { from: 'user' })
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const chat = (asked: string, split = 'train') => ({
  split,
  messages: [
    { role: 'user', content: asked },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'find', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'a', content: '{"left": 3}' },
    { role: 'assistant', content: 'Three.' },
    { role: 'user', content: 'Good.' },
  ],
})
const jsonl = (...entries: unknown[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

describe('rwml import', () => {
  it('makes a run folder whose trajectories are there, and says what is in it', async () => {
    const out = join(folder, 'run')
    const logs = file('chats.jsonl', jsonl(chat('a'), chat('b'), chat('b'), chat('c', 'test')))
    await run(logs, '--out', out, '--model', 'models/mini', '--json')
    const shown = printed.join('\n')
    expect(shown).toMatch(/tool:find +3 +0 +1/)
    expect(shown).toContain('4 conversations read, 3 kept (train 2, unseen 1)')
    expect(shown).toContain('Left out: 1 that were there before')
    expect(JSON.parse(printed.at(-1)!)).toMatchObject({
      read: 4,
      duplicates: 1,
      tokens: { longest: expect.any(Number) },
    })
    const environment = recordedEnvironment(out)
    expect(environment.splits().sort()).toEqual(['train', 'unseen'])
    expect(environment.recorded!('train')[0].turns[0].observation).toMatchObject({
      results: [{ content: '{"left": 3}' }],
    })
    expect(() => environment.open(environment.tasks('train')[0], { seed: 0 })).toThrow('cannot be played')
    // As it is asked for: the shape of the tool's answer.
    const [line] = readFileSync(join(out, 'transitions.jsonl'), 'utf8').split('\n')
    expect(JSON.parse(line)).toMatchObject({
      use: 'train',
      next: { results: [{ content: '{"type":"object","properties":{"left":{"type":"number"}}}' }] },
    })
    expect(loadReportInput(out).run.method).toBe('import')
  })

  it('can be diagnosed at once, by who answers and as it is asked for', async () => {
    const out = join(folder, 'run')
    const entries = Array.from({ length: 30 }, (_, i) => {
      const { messages, split } = chat(`How many of the ${i}?`)
      return { split, messages: [...messages.slice(0, -1), { role: 'user', content: `Then send ${i % 4} please.` }] }
    })
    await run(file('chats.jsonl', jsonl(...entries)), '--out', out)
    const nothing = () => {}
    const progress = { start: nothing, update: nothing, finish: nothing }
    const found = await diagnose({ run: out, predictions: 0, progress, say: nothing })
    expect([found.transitions, found.tasks]).toEqual([60, 30])
    expect(Object.keys(found.visibility.byKind).sort()).toEqual(['tool:find', 'user'])
    expect(found.baselines.find((one) => one.predictor === 'most frequent for verb')?.byKind['tool:find'].exact).toBe(1)
    expect(found.duplicates.mostCommon[0].text).toBe('{"type":"object","properties":{"left":{"type":"number"}}}')
  })

  it('refuses a bad line by its place and leaves nothing behind; --skip-bad counts it', async () => {
    const out = join(folder, 'run')
    const logs = file('chats.jsonl', `${jsonl(chat('a'))}{"messages": [\n`)
    await expect(run(logs, '--out', out)).rejects.toThrow(`${logs}, line 2: not a whole JSON value`)
    expect(readdirSync(folder)).toEqual(['chats.jsonl'])
    await run(logs, '--out', out, '--skip-bad')
    expect(printed.join('\n')).toContain('Left out: 1 that could not be read:\n')
    expect(JSON.parse(readFileSync(join(out, 'import.json'), 'utf8')).bad).toHaveLength(1)
  })

  it('refuses what is not there, what is there already, and what holds nothing', async () => {
    const out = join(folder, 'run')
    const logs = file('chats.jsonl', jsonl(chat('a')))
    await expect(run(join(folder, 'none.jsonl'), '--out', out)).rejects.toThrow(
      'none.jsonl is not there: name .jsonl files',
    )
    await expect(run(folder, '--out', out)).rejects.toThrow('is a folder')
    await expect(run(logs, '--out', folder)).rejects.toThrow('is there already')
    const empty = file('empty.jsonl', '\n')
    await expect(run(empty, '--out', out)).rejects.toThrow('nothing to learn from')
    expect(existsSync(out)).toBe(false)
    expect(() => recordedEnvironment(folder)).toThrow('holds no imported logs: "rwml import')
  })
})
