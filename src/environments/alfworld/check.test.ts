import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { assertSame, checkTraces } from './check.ts'

const testing = join(import.meta.dirname, 'testing')
const tiny = join(testing, 'tiny-traces.jsonl')
const shared = process.env.RWML_SHARED ?? '../shared'
const golden = join(shared, 'oracle', 'alfworld', 'golden.jsonl')

describe.skipIf(!existsSync(golden))('episodes recorded from the real stack', () => {
  it.each(['alfworld', 'alfworld-release-2.1.1'])('%s: every step is the same', (data) => {
    const check = checkTraces(join(shared, 'data', data), [golden])
    expect(check.first).toBeNull()
    expect(check.differences).toBe(0)
    expect(check.episodes).toBeGreaterThan(100)
    expect(check.episodes + check.skipped).toBe(378)
  })
})

describe('episodes written by hand from the rules', () => {
  it.each(['2.1.2', '2.1.1'])('release %s: every step is the same, the other release is skipped', (release) => {
    const check = checkTraces(join(testing, `tiny-${release}`), [tiny])
    expect(check).toMatchObject({ episodes: 1, skipped: 1, differences: 0, first: null })
    expect(check.steps).toBeGreaterThan(30)
    expect(() => assertSame(check)).not.toThrow()
  })

  it('says where and how an episode differs first', () => {
    const changed = readFileSync(tiny, 'utf8').replace('You open the cabinet 2.', 'You opened the cabinet 2.')
    const file = join(mkdtempSync(join(tmpdir(), 'rwml-')), 'changed.jsonl')
    writeFileSync(file, changed)
    const check = checkTraces(join(testing, 'tiny-2.1.2'), [file])
    expect(check.differences).toBe(1)
    expect(check.first).toMatchObject({ line: 1, step: 9, action: 'open cabinet 2', field: 'obs' })
    expect(() => assertSame(check)).toThrow(/1 of 1 episodes differ, the first at step 9/)
  })

  it('fails when nothing was checked', () => {
    const [first] = readFileSync(tiny, 'utf8').split('\n')
    const file = join(mkdtempSync(join(tmpdir(), 'rwml-')), 'other.jsonl')
    writeFileSync(file, first)
    const check = checkTraces(join(testing, 'tiny-2.1.1'), [file])
    expect(check).toMatchObject({ episodes: 0, skipped: 1 })
    expect(() => assertSame(check)).toThrow(/nothing was checked/)
  })

  it('names a line that is no trace, and its field', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rwml-'))
    const file = join(folder, 'bad.jsonl')
    const data = join(testing, 'tiny-2.1.1')
    const [first] = readFileSync(tiny, 'utf8').split('\n')
    for (const [text, message] of [
      ['\n{"game": 3}\n', /bad\.jsonl:2: no trace: game must be text, not a number/],
      [first.replace(/"won": ?false/, '"won":"no"'), /bad\.jsonl:1: no trace: steps\[0\]\.won must be true or false/],
      [first.slice(0, 700), /bad\.jsonl:1: not JSON, or cut off/],
    ] as const) {
      writeFileSync(file, text)
      expect(() => checkTraces(data, [file])).toThrow(message)
    }
    expect(() => checkTraces(data, [folder])).toThrow(/cannot read the traces/)
    writeFileSync(file, '')
    expect(() => assertSame(checkTraces(data, [file]))).toThrow(/hold no episode/)
  })

  it('says so where the data holds no game at all', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rwml-'))
    mkdirSync(join(folder, 'valid_seen'))
    expect(() => checkTraces(folder, [tiny])).toThrow(/no game\.tw-pddl below/)
  })
})
