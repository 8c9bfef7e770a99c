import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UserError } from '../../core/index.ts'
import { f32Tensor, ggufFile } from '../testing/gguf.ts'
import reference from '../testing/gguf-blocks.json' with { type: 'json' }
import { BLOCK_FORMATS } from './blocks.ts'
import { GgufReader } from './reader.ts'

let folder: string
let path: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-gguf-'))
  path = join(folder, 'model.gguf')
})
afterAll(() => rmSync(folder, { recursive: true }))

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))

describe('tensor formats', () => {
  it.each(reference.formats)(
    '$name gives the values of the reference, bit for bit',
    ({ type, name, blocks, values }) => {
      const format = BLOCK_FORMATS.get(type)
      expect(format?.name).toBe(name)
      const found = format?.decode(bytesOf(blocks)) ?? new Float32Array()
      expect(found).toEqual(new Float32Array(bytesOf(values).buffer))
      expect(found).toHaveLength((bytesOf(blocks).length / (format?.bytes ?? 0)) * (format?.values ?? 0))
    },
  )

  it('all have a reference', () => {
    expect(reference.formats.map(({ type }) => type).sort()).toEqual([...BLOCK_FORMATS.keys()].sort())
  })
})

/** A small file with something of everything. */
function sample(): Buffer {
  const q8 = reference.formats.find(({ name }) => name === 'Q8_0')
  return ggufFile(
    {
      'general.architecture': 'llama',
      'llama.eps': 1e-5,
      'llama.block_count': 2,
      flag: true,
      words: ['a', 'ü', ''],
      kinds: [1, 3, 4],
    },
    {
      first: f32Tensor([2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)),
      second: { shape: [3, 32], type: 8, bytes: bytesOf(q8?.blocks ?? '') },
    },
  )
}

function open(bytes: Uint8Array): GgufReader {
  writeFileSync(path, bytes)
  return new GgufReader(path)
}

describe('GgufReader', () => {
  it('reads metadata, shapes and values', () => {
    const reader = open(sample())
    expect(Object.fromEntries(reader.metadata)).toEqual({
      'general.architecture': 'llama',
      'llama.eps': 1e-5,
      'llama.block_count': 2,
      flag: true,
      words: ['a', 'ü', ''],
      kinds: [1, 3, 4],
    })
    expect(reader.tensors.get('second')).toMatchObject({ shape: [3, 32], dtype: 'Q8_0', bytes: 102 })
    expect([...reader.read('first')]).toEqual([1, 2, 3, 4, 5, 6])
    expect(reader.read('second')).toHaveLength(96)
    reader.close()
  })

  it.each<[string, () => Buffer | Uint8Array, string]>([
    ['no GGUF', () => Buffer.from('PK\x03\x04 a zip file, say'), 'is not a GGUF file'],
    ['an empty file', () => Buffer.alloc(0), 'is not a GGUF file'],
    ['another version', () => changed(4, 9), 'of version 9; versions 2 and 3'],
    [
      'another byte order',
      () => Buffer.concat([Buffer.from('GGUF'), Buffer.of(0, 0, 0, 3), Buffer.alloc(40)]),
      'big-endian',
    ],
    ['many tensors', () => changed(14, 255), 'more than it has room for'],
    ['a cut header', () => sample().subarray(0, 180), 'truncated or damaged'],
    ['cut data', () => sample().subarray(0, -40), 'ends before the data of second'],
    [
      'a format that is not read',
      () => ggufFile({}, { x: { shape: [256], type: 10, bytes: new Uint8Array(84) } }),
      'Q2_K',
    ],
    [
      'half a block',
      () => ggufFile({}, { x: { shape: [16], type: 8, bytes: new Uint8Array(34) } }),
      'shape [16] in Q8_0',
    ],
    ['an odd alignment', () => ggufFile({ 'general.alignment': 3 }, {}), 'general.alignment is 3'],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => open(bytes())).toThrow(UserError)
    expect(() => open(bytes())).toThrow(message)
  })

  function changed(at: number, value: number): Buffer {
    const bytes = sample()
    bytes[at] = value
    return bytes
  }

  it('refuses tensors that overlap and names that come twice', () => {
    const overlapping = ggufFile({}, { a: f32Tensor([16]), b: f32Tensor([16]) })
    // The second tensor's offset, right before the padding: 64 becomes 32.
    overlapping[overlapping.indexOf(Buffer.from([64, 0, 0, 0, 0, 0, 0, 0]))] = 32
    expect(() => open(overlapping)).toThrow('the data of b overlaps')
    const twice = ggufFile({ aa: 1, bb: 2 }, {})
    twice.write('aa', twice.indexOf('bb'))
    expect(() => open(twice)).toThrow('two entries aa')
  })

  it('answers any damage with one line', () => {
    const whole = sample()
    const byte = fc.nat(255)
    const flips = fc.array(fc.tuple(fc.nat(whole.length - 1), byte), { minLength: 1, maxLength: 4 })
    const damaged = fc.oneof(
      fc.nat(whole.length - 1).map((length) => whole.subarray(0, length)),
      flips.map((all) => {
        const bytes = Buffer.from(whole)
        for (const [at, value] of all) bytes[at] = value
        return bytes
      }),
      // Right in the beginning, so that it is not refused for its magic alone.
      fc.uint8Array({ maxLength: 300 }).map((rest) => Buffer.concat([whole.subarray(0, 8), rest])),
      fc.uint8Array({ maxLength: 100 }),
    )
    fc.assert(
      fc.property(damaged, (bytes) => {
        try {
          const reader = open(bytes)
          for (const name of reader.tensors.keys()) reader.read(name)
          reader.close()
        } catch (error) {
          expect(error).toBeInstanceOf(UserError)
          expect((error as Error).message).toContain(folder)
          expect((error as Error).message).not.toContain('\n')
        }
      }),
      { numRuns: 1500 },
    )
  })
})
