import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UserError } from '../core/index.ts'
import { halfToNumber, toBfloat16, toFloat16 } from './float16.ts'
import { readSafetensors, writeSafetensors } from './safetensors.ts'
import { ShardedReader } from './sharded.ts'

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

  it('rounds to the nearest half, ties to even, and back', () => {
    const bits = (...values: number[]) => Array.from(toFloat16(Float32Array.from(values)))
    // Every half that is a number comes back as itself; so do the signs of zero.
    const all = Array.from({ length: 65536 }, (_, i) => i).filter((i) => (i & 0x7c00) !== 0x7c00)
    expect(bits(...all.map(halfToNumber))).toEqual(all)
    // Steps above 1 are 2⁻¹⁰, subnormal ones 2⁻²⁴.
    expect(bits(1 + 2 ** -11, 1 + 3 * 2 ** -11, 2047.9999)).toEqual([0x3c00, 0x3c02, 0x6800])
    expect(bits(2 ** -25, 3 * 2 ** -25, 2 ** -25 + 2 ** -40, 2 ** -14 - 2 ** -26)).toEqual([0, 2, 1, 0x0400])
    expect(bits(65519, 65520, -1e30, Number.POSITIVE_INFINITY)).toEqual([0x7bff, 0x7c00, 0xfc00, 0x7c00])
    expect(halfToNumber(bits(Number.NaN)[0])).toBeNaN()
  })

  it('writes F16, and tensors that are made when their turn comes', () => {
    const path = join(folder, 'lazy.safetensors')
    let made = 0
    const tensor = { shape: [2], get data() { made++; return Float32Array.of(1, 1 / 3) } } // biome-ignore format: short
    writeSafetensors(path, new Map([['x', tensor]]), { dtype: 'F16' })
    expect(made).toBe(1)
    expect(Array.from(readSafetensors(path).tensors.get('x')?.data ?? [])).toEqual([1, 0.333251953125])
    const wrong = new Map([['x', { shape: [3], data: new Float32Array(2) }]])
    expect(() => writeSafetensors(path, wrong)).toThrow('2 values for a shape of [3]')
    expect(readSafetensors(path).tensors.get('x')?.shape).toEqual([2])
  })

  it('reads weights in several files, and names the one that is not what the index says', () => {
    const index = join(folder, 'model.safetensors.index.json')
    const part = (name: string, value: number) =>
      writeSafetensors(
        join(folder, `${name}.safetensors`),
        new Map([[name, { shape: [1], data: Float32Array.of(value) }]]),
      )
    const map = (weight_map: Record<string, string>) => writeFileSync(index, JSON.stringify({ weight_map }))
    part('one', 1)
    part('two', 2)
    map({ one: 'one.safetensors', two: 'two.safetensors' })
    const reader = new ShardedReader(index)
    expect([...reader.tensors.keys()].map((name) => reader.read(name)[0])).toEqual([1, 2])
    reader.close()
    for (const [weights, message] of [
      [{ one: 'one.safetensors', two: 'one.safetensors' }, 'two is not in one.safetensors, where it should be'],
      [{ one: 'gone.safetensors' }, 'gone.safetensors cannot be read'],
      [{ one: '../one.safetensors' }, 'must be .safetensors files beside it'],
    ] as const) {
      map(weights)
      expect(() => new ShardedReader(index)).toThrow(message)
    }
    writeFileSync(index, '{"weight_map": [1]}')
    expect(() => new ShardedReader(index)).toThrow('weight_map')
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
