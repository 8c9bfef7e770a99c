import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { writeFileAtomic, writeFolderAtomic } from './atomic.ts'
import { damageIn, verifyChecksums, writeChecksums } from './checksums.ts'
import { makeFolder } from './folder.ts'
import { canonicalJson, hashOf } from './hash.ts'
import { readJson, writeJson } from './json.ts'
import { JsonLines, readLines } from './jsonl.ts'

const root = mkdtempSync(join(tmpdir(), 'rwml-store-'))
afterAll(() => rmSync(root, { recursive: true }))
let files = 0
const freshPath = () => join(root, `file-${files++}.jsonl`)
const numbered = z.object({ n: z.number(), text: z.string().optional() })

describe('atomic writes', () => {
  it('leave the old content where writing fails', async () => {
    const path = freshPath()
    writeFileAtomic(path, 'old')
    expect(() => writeFileAtomic(join(path, 'below-a-file'), 'x')).toThrow()
    expect(readFileSync(path, 'utf8')).toBe('old')
    const folder = join(root, 'folder')
    await writeFolderAtomic(folder, (at) => writeFileSync(join(at, 'a'), '1'))
    const failing = writeFolderAtomic(folder, () => Promise.reject(new Error('stop')))
    await expect(failing).rejects.toThrow('stop')
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('1')
  })
})

describe('writeJson', () => {
  it('keeps what fits on a line on one, and everything as it was', () => {
    const path = freshPath()
    writeJson(path, { rows: [{ a: 1, b: 'x' }, [1, 2], []], long: ['y'.repeat(200)] })
    expect(readFileSync(path, 'utf8')).toBe(
      `{\n  "rows": [\n    { "a": 1, "b": "x" },\n    [1, 2],\n    []\n  ],\n  "long": [\n    "${'y'.repeat(200)}"\n  ]\n}\n`,
    )
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('[\n  1\n]', '{"a": "]"}', '\\'), (value, text) => {
        writeJson(path, { value, text, both: [value, text] })
        const back = JSON.parse(readFileSync(path, 'utf8'))
        expect(back).toEqual(JSON.parse(JSON.stringify({ value, text, both: [value, text] })))
      }),
      { numRuns: 40 },
    )
  })
})

describe('readJson', () => {
  it('names the file and the field', () => {
    const path = freshPath()
    expect(() => readJson(path, numbered)).toThrow(/is missing/)
    writeJson(path, { n: 'one' })
    expect(() => readJson(path, numbered)).toThrow(/file-\d+.*: n must be a number, not text/)
    writeFileSync(path, '{')
    expect(() => readJson(path, numbered)).toThrow(/not valid JSON/)
  })
})

describe('JsonLines', () => {
  it('appends, counts and finds lines, also after reopening', () => {
    const path = freshPath()
    const lines = new JsonLines(path, numbered)
    lines.append([{ n: 1, text: 'é\n"' }, { n: 2 }])
    lines.append([])
    lines.append([{ n: 3 }])
    expect([lines.length, lines.at(0).text, lines.at(2).n]).toEqual([3, 'é\n"', 3])
    lines.close()
    const again = new JsonLines(path, numbered)
    expect([...again].map((line) => line.n)).toEqual([1, 2, 3])
    expect(again.dropped).toBe(0)
    expect(() => again.at(3)).toThrow(/no line 3/)
    again.close()
  })

  it('drops a torn last line wherever it was torn, and goes on', () => {
    const whole = '{"n":1}\n{"n":2}\n{"n":3,"text":"é"}\n'
    const bytes = Buffer.from(whole)
    for (let cut = 0; cut <= bytes.length; cut++) {
      const path = freshPath()
      writeFileSync(path, bytes.subarray(0, cut))
      const complete = bytes.subarray(0, cut).toString('latin1').split('\n').length - 1
      expect(readLines(path, numbered)).toHaveLength(complete)
      const lines = new JsonLines(path, numbered)
      expect(lines.length).toBe(complete)
      expect(lines.dropped).toBe(cut === 0 || bytes[cut - 1] === 10 ? 0 : 1)
      lines.append([{ n: 9 }])
      expect(lines.at(complete).n).toBe(9)
      lines.close()
      expect(readLines(path, numbered)).toHaveLength(complete + 1)
    }
  })

  it('forgets lines after a point', () => {
    const path = freshPath()
    const lines = new JsonLines(path, numbered)
    lines.append([1, 2, 3, 4].map((n) => ({ n })))
    lines.truncate(9)
    lines.truncate(2)
    lines.append([{ n: 7 }])
    expect([...lines].map((line) => line.n)).toEqual([1, 2, 7])
    lines.close()
  })

  it('finds lines across the borders of what it reads at once', () => {
    const path = freshPath()
    const lines = new JsonLines(path, numbered)
    lines.append(Array.from({ length: 300 }, (_, n) => ({ n, text: 'x'.repeat(9000) })))
    lines.close()
    const again = new JsonLines(path, numbered)
    expect([again.length, again.at(299).n, again.at(116).n]).toEqual([300, 299, 116])
    again.close()
  })

  it('names the line that is damaged', () => {
    const path = freshPath()
    writeFileSync(path, '{"n":1}\n{"n"\n{"n":"x"}\n')
    expect(() => readLines(path, numbered)).toThrow(/line 2: not valid JSON/)
    const lines = new JsonLines(path, numbered)
    expect(() => lines.at(2)).toThrow(/line 3: n must be a number, not text/)
    lines.close()
    expect(() => readLines(freshPath(), numbered)).toThrow(/is missing/)
  })

  it('reads a file that is still being written', () => {
    const path = freshPath()
    appendFileSync(path, '{"n":1}\n{"n":')
    expect(readLines(path, numbered)).toEqual([{ n: 1 }])
    expect(existsSync(path)).toBe(true)
    expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":')
  })
})

describe('hashOf', () => {
  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'é' }], a: undefined })).toBe('{"b":[1,{"c":"é","d":null}]}')
    expect(hashOf({ a: 1, b: 2 })).toBe(hashOf({ b: 2, a: 1 }))
    expect(hashOf({ a: 1 })).not.toBe(hashOf({ a: 2 }))
    expect(hashOf('')).toBe('12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126')
  })

  it('reads back as the same value, and refuses what JSON would change', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
    expect(canonicalJson({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}')
    expect(() => hashOf([Number.NaN])).toThrow(/NaN has no JSON form/)
    expect(() => hashOf({ f: () => 1 })).toThrow(/function has no JSON form/)
  })
})

describe('readLines', () => {
  it('gives back what was appended, and answers any damage with one line that names the file', () => {
    const value = fc.record({
      n: fc.double({ noNaN: true, noDefaultInfinity: true }),
      text: fc.string({ unit: 'binary' }),
    })
    const schema = z.object({ n: z.number(), text: z.string() })
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), fc.nat(), fc.uint8Array(), (values, at, bytes) => {
        const path = freshPath()
        const file = new JsonLines(path, schema)
        file.append(values)
        file.close()
        const stored: unknown = JSON.parse(JSON.stringify(values))
        expect(readLines(path, schema)).toEqual(stored)
        const whole = readFileSync(path)
        const place = at % whole.length
        for (const damaged of [
          whole.subarray(0, place),
          Buffer.concat([whole.subarray(0, place), bytes, whole.subarray(place)]),
          bytes,
        ]) {
          writeFileSync(path, damaged)
          for (const read of [() => readLines(path, schema), () => [...new JsonLines(path, schema)]]) {
            try {
              read()
            } catch (error) {
              expect(error).toBeInstanceOf(UserError)
              expect((error as Error).message).toContain(path)
            }
          }
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('checksums', () => {
  it('tell which file of a folder is not what was written', () => {
    const folder = join(root, 'checked')
    makeFolder(folder)
    for (const name of ['a', 'b']) writeFileSync(join(folder, name), name.repeat(3_000_000))
    expect(damageIn(folder)).toBeNull()
    writeChecksums(folder)
    expect(damageIn(folder)).toBeNull()
    writeFileSync(join(folder, 'later'), 'not of the folder when it was written')
    verifyChecksums(folder)
    appendFileSync(join(folder, 'b'), '.')
    expect(() => verifyChecksums(folder)).toThrow(/checked is damaged: b is not what was saved; take another/)
    rmSync(join(folder, 'a'))
    expect(damageIn(folder)).toBe('a is missing')
    writeFileSync(join(folder, 'checksums.json'), '{"a":')
    expect(damageIn(folder)).toBe('checksums.json is not what was saved')
  })
})

describe('makeFolder', () => {
  it('makes what is missing, and says in one line where it cannot', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'rwml-folder-')), 'a', 'b')
    makeFolder(folder)
    makeFolder(folder)
    expect(existsSync(folder)).toBe(true)
    writeFileSync(join(folder, 'file'), '')
    expect(() => makeFolder(join(folder, 'file', 'c'))).toThrow(
      /cannot make the folder .*file: a file of that name is in the way/,
    )
  })
})
