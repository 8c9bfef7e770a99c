import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UserError } from '../core/index.ts'
import { halfToNumber, readSafetensors, toBfloat16, writeSafetensors } from './safetensors.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A file from a header and data, right or wrong. */
function file(header: unknown, data: Uint8Array, length?: number): string {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
  const prefix = Buffer.alloc(8)
  prefix.writeBigUInt64LE(BigInt(length ?? text.length))
  const path = join(folder, 'made.safetensors')
  writeFileSync(path, Buffer.concat([prefix, text, data]))
  return path
}

const entry = (dtype: string, shape: number[], begin: number, end: number) => ({
  dtype,
  shape,
  data_offsets: [begin, end],
})

describe('safetensors', () => {
  it('reads back what it wrote, exactly in F32 and rounded in BF16', () => {
    const path = join(folder, 'a.safetensors')
    const tensors = new Map([
      ['a', { shape: [2, 2], data: Float32Array.of(1, -0, 3.14159274, 1e-40) }],
      ['empty', { shape: [0, 3], data: new Float32Array(0) }],
      ['b', { shape: [1], data: Float32Array.of(1 / 3) }],
    ])
    writeSafetensors(path, tensors, { metadata: { step: '3' } })
    const read = readSafetensors(path)
    expect(read.metadata).toEqual({ step: '3' })
    expect(read.tensors).toEqual(tensors)
    expect(Number(readFileSync(path).readBigUInt64LE()) % 8).toBe(0)
    writeSafetensors(path, tensors, { dtype: 'BF16' })
    const { data } = readSafetensors(path).tensors.get('a') ?? { data: [] }
    expect(data[2]).toBe(3.140625)
  })

  it('rounds to the nearest bfloat16, ties to even', () => {
    const bits = (...values: number[]) => Array.from(toBfloat16(Float32Array.from(values)))
    // Steps of bfloat16 above 1 are 2⁻⁷.
    expect(bits(1 + 2 ** -8, 1 + 3 * 2 ** -8, 1 + 2 ** -8 + 2 ** -20)).toEqual([0x3f80, 0x3f82, 0x3f81])
    expect(bits(Number.POSITIVE_INFINITY, 3.4e38)).toEqual([0x7f80, 0x7f80])
    expect(bits(Number.NaN)[0] & 0x7f).not.toBe(0)
  })

  it('reads F16', () => {
    expect([0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00].map(halfToNumber)).toEqual([1, -2, 2 ** -24, 65504, Infinity])
    expect(halfToNumber(0x7e00)).toBeNaN()
    const path = file({ x: entry('F16', [2], 0, 4) }, Uint8Array.of(0, 0x3c, 0, 0xc0))
    expect(Array.from(readSafetensors(path).tensors.get('x')?.data ?? [])).toEqual([1, -2])
  })

  const four = new Uint8Array(4)
  it.each<[string, () => string, string]>([
    ['a missing file', () => join(folder, 'none'), 'cannot be read'],
    ['an empty header', () => file('', new Uint8Array(0), 3), 'announces a header of 3 bytes'],
    ['a lying header length', () => file({}, four, 2 ** 40), 'announces a header'],
    ['no JSON', () => file('{nope', four), 'no JSON object'],
    ['a header that is a list', () => file([], four), 'no JSON object'],
    ['a type that is no type', () => file({ x: entry('constructor', [1], 0, 4) }, four), 'x has type constructor'],
    ['a malformed entry', () => file({ x: { dtype: 'F32' } }, four), 'entry x.shape is malformed'],
    ['another type', () => file({ x: entry('I64', [1], 0, 8) }, new Uint8Array(8)), 'x has type I64'],
    [
      'a shape that contradicts the range',
      () => file({ x: entry('F32', [2], 0, 4) }, four),
      'needs 8 bytes but claims 4',
    ],
    ['truncated data', () => file({ x: entry('F32', [2], 0, 8) }, four), 'ends before the data of x'],
    ['data nobody claims', () => file({ x: entry('F32', [1], 0, 4) }, new Uint8Array(8)), 'cover 4 bytes'],
    [
      'overlapping data',
      () => file({ x: entry('F32', [1], 0, 4), y: entry('F32', [1], 0, 4) }, new Uint8Array(8)),
      'data of y overlaps',
    ],
    ['bad metadata', () => file({ __metadata__: { a: 1 } }, new Uint8Array(0)), '__metadata__'],
  ])('refuses %s', (_, path, message) => {
    expect(() => readSafetensors(path())).toThrow(UserError)
    expect(() => readSafetensors(path())).toThrow(message)
  })

  it('gives back whatever was written, and answers any damage to it with one line', () => {
    const path = join(folder, 'any.safetensors')
    const values = fc.array(fc.float({ noNaN: true }), { maxLength: 6 }).map((list) => Float32Array.from(list))
    const names = fc.array(fc.tuple(fc.string(), values), { maxLength: 4 })
    // Headers of the right form and wrong content, and holes in the whole.
    const number = fc.oneof(fc.nat(20), fc.maxSafeNat(), fc.constantFrom(-1, 0.5))
    const entries = fc.record({
      dtype: fc.constantFrom('F32', 'BF16', 'I64', '__proto__'),
      shape: fc.array(number, { maxLength: 3 }),
      data_offsets: fc.array(number, { maxLength: 3 }),
    })
    const header = fc.oneof(
      fc.json(),
      fc.dictionary(fc.constantFrom('x', 'y', '__metadata__', '__proto__'), entries).map((one) => JSON.stringify(one)),
    )
    fc.assert(
      fc.property(names, header, fc.nat(200), fc.nat(255), (list, text, at, byte) => {
        const tensors = new Map(list.map(([name, data]) => [`t${name}`, { shape: [data.length], data }]))
        writeSafetensors(path, tensors)
        expect(readSafetensors(path).tensors).toEqual(tensors)
        const whole = readFileSync(path)
        const changed = Uint8Array.from(whole)
        changed[at % whole.length] = byte
        for (const bytes of [whole.subarray(0, at % whole.length), changed]) {
          writeFileSync(path, bytes)
          oneLine(() => readSafetensors(path))
        }
        oneLine(() => readSafetensors(file(text, new Uint8Array(at))))
      }),
    )
  })

  function oneLine(read: () => unknown): void {
    try {
      read()
    } catch (error) {
      expect(error).toBeInstanceOf(UserError)
      expect((error as Error).message).toContain(folder)
    }
  }
})
