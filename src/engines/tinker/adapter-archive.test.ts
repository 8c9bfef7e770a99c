import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { hash32, UserError } from '../../core/index.ts'
import { unpackAdapter } from './adapter-archive.ts'
import { type TarEntry, tar, tarGz } from './testing/tar-gz.ts'

const parent = mkdtempSync(join(tmpdir(), 'archive-'))
const folder = join(parent, 'a', 'b', 'folder')
mkdirSync(folder, { recursive: true })
afterAll(() => rmSync(parent, { recursive: true, force: true }))
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
})

const config = { name: 'adapter_config.json', content: Buffer.from('{"peft_type":"LORA","r":4,"lora_alpha":8}') }
const weights = { name: 'adapter_model.safetensors', content: Buffer.alloc(3000, 7) }

const FILES = ['adapter_config.json', 'adapter_model.safetensors']

/** What a header's checksum has to be, where it begins at `block`. */
function mendChecksum(bytes: Buffer, block: number): void {
  if (bytes.toString('latin1', block + 257, block + 262) !== 'ustar') return
  bytes.write('        ', block + 148)
  const sum = bytes.subarray(block, block + 512).reduce((a, b) => a + b, 0)
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, block + 148)
}

/** Unpacks bytes that come in small pieces. */
function unpack(bytes: Uint8Array, most?: number): Promise<void> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100)
  }
  return unpackAdapter(pieces(), folder, '/models/base', 'the archive', most)
}

describe('unpackAdapter', () => {
  it.each([
    ['plain', tar],
    ['in gzip', tarGz],
  ])('writes the two files of PEFT and notes the base: %s', async (_, pack) => {
    const entries: TarEntry[] = [
      { name: './', content: Buffer.alloc(0), type: '5' },
      { ...config, name: './adapter_config.json' },
      { name: 'README.md', content: Buffer.from('hello') },
      { ...weights, name: 'some/folder/adapter_model.safetensors' },
    ]
    await unpack(pack(entries))
    expect(readdirSync(folder).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors'])
    expect(readFileSync(join(folder, 'adapter_model.safetensors'))).toEqual(weights.content)
    const written = JSON.parse(readFileSync(join(folder, 'adapter_config.json'), 'utf8'))
    expect(written).toEqual({ peft_type: 'LORA', r: 4, lora_alpha: 8, base_model_name_or_path: '/models/base' })
  })

  it('reads long names', async () => {
    const name = `${'deep/'.repeat(40)}adapter_config.json`
    const pax = `${name.length + 10} path=${name}\n`
    await unpack(
      tar([
        { name: 'pax', content: Buffer.from(pax), type: 'x' },
        { ...config, name: 'shortened' },
        { name: 'gnu', content: Buffer.from('a/adapter_model.safetensors\0'), type: 'L' },
        { ...weights, name: 'shortened' },
      ]),
    )
    expect(readdirSync(folder)).toHaveLength(2)
  })

  const empty = Buffer.alloc(0)
  it.each([
    [
      'a name with ..',
      [{ ...config, name: '../adapter_config.json' }],
      /"\.\.\/adapter_config.json" reaches out of its folder/,
    ],
    ['a name with .. in the middle', [{ ...config, name: 'a/../../adapter_config.json' }], /reaches out of its folder/],
    ['a path from the root', [{ ...config, name: '/etc/adapter_config.json' }], /reaches out of its folder/],
    ['a path from a drive', [{ ...config, name: 'C:\\adapter_config.json' }], /reaches out of its folder/],
    ['a path from a share', [{ ...config, name: '\\\\host\\adapter_config.json' }], /reaches out of its folder/],
    [
      'a long name of GNU with ..',
      [{ name: 'gnu', content: Buffer.from('../adapter_config.json\0'), type: 'L' }, config],
      /reaches out of its folder/,
    ],
    [
      'a long name of PAX with ..',
      [{ name: 'pax', content: Buffer.from('30 path=../adapter_config.json\n'), type: 'x' }, config],
      /reaches out of its folder/,
    ],
    [
      'a name with NUL',
      [{ name: 'pax', content: Buffer.from('30 path=adapter_config.json\0/../x\n'), type: 'x' }, config],
      /reaches out of its folder/,
    ],
    [
      'a name of a mile',
      [{ name: 'gnu', content: Buffer.alloc(5000, 97), type: 'L' }, config],
      /has a header of 5000 bytes/,
    ],
    ...['1', '2', '3', '4', '6', '7', 'K', 'S'].map((type): [string, TarEntry[], RegExp] => [
      `a link, a device or something else (type ${type})`,
      [{ ...config, content: empty, type }],
      /neither file nor folder/,
    ]),
    ['two of one name', [{ ...weights, name: 'again/adapter_model.safetensors' }], /twice/],
    ['no config', [{ name: 'other', content: empty }], /holds no adapter_config.json/],
    [
      'a config of a size that is none',
      [{ name: 'pax', content: Buffer.from(`4000 size=${'9'.repeat(400)}\n`), type: 'x' }, config],
      /unpacks to more than/,
    ],
    [
      'a thousand folders',
      Array.from({ length: 1001 }, () => ({ name: 'a/', content: empty, type: '5' })),
      /1000 entr/,
    ],
  ])('refuses %s', async (_, entries: TarEntry[], message) => {
    await expect(unpack(tarGz([weights, ...entries]))).rejects.toThrow(message)
    expect(readdirSync(parent, { recursive: true }).sort()).toEqual([
      'a',
      'a/b',
      'a/b/folder',
      'a/b/folder/adapter_model.safetensors',
    ])
  })

  it('never holds what nobody wants', async () => {
    const large = 200 * 2 ** 20
    const block = Buffer.alloc(2 ** 20)
    const [head] = [tar([{ name: 'README.md', content: empty }])]
    // The header says how much follows; it is sent piece by piece.
    head.write(`${large.toString(8).padStart(11, '0')}\0`, 124)
    head.write('        ', 148)
    head.write(
      `${head
        .subarray(0, 512)
        .reduce((a, b) => a + b, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    )
    let most = 0
    async function* pieces() {
      yield head.subarray(0, 512)
      for (let sent = 0; sent < large; sent += block.length) {
        yield Buffer.from(block)
        most = Math.max(most, process.memoryUsage().arrayBuffers)
      }
      yield tar([config, weights])
    }
    const before = process.memoryUsage().arrayBuffers
    await unpackAdapter(pieces(), folder, '/models/base', 'the archive')
    expect(most - before).toBeLessThan(large / 2)
  })

  it('lets go of what it does not read to the end', async () => {
    let closed = false
    async function* endless() {
      try {
        yield tarGz([config, weights])
        for (;;) yield gzipSync(empty)
      } finally {
        closed = true
      }
    }
    await expect(unpackAdapter(endless(), folder, '/models/base', 'the archive', 100_000)).resolves.toBeUndefined()
    expect(closed).toBe(true)
  })

  it('refuses gzip of nothing that goes on for ever', async () => {
    async function* endless() {
      for (;;) yield gzipSync(empty)
    }
    await expect(unpackAdapter(endless(), folder, '/models/base', 'the archive', 100_000)).rejects.toThrow(
      'unpacks to more than 100000 bytes',
    )
  })

  it('survives archives that were changed anywhere', async () => {
    const long = { name: 'gnu', content: Buffer.from('a/adapter_model.safetensors\0'), type: 'L' }
    const pax = { name: 'pax', content: Buffer.from('30 path=b/adapter_config.json\n'), type: 'x' }
    const whole = tar([{ name: './', content: empty, type: '5' }, pax, config, long, weights])
    const outcomes = new Map<string, number>()
    for (let round = 0; round < 3000; round++) {
      const draw = (...at: (string | number)[]) => hash32('archive', round, ...at)
      let bytes: Buffer = Buffer.from(whole)
      for (let change = 0; change <= draw('changes') % 3; change++) {
        // Headers are where it matters: most changes hit one, and half of those keep its checksum right.
        const block = Math.floor((draw(change, 'block') % whole.length) / 512) * 512
        const at = block + (draw(change, 'at') % 512)
        const value = [0, 32, 47, 46, 55, 128, 255, draw(change, 'value') & 255][draw(change, 'kind') % 8]
        bytes[at] = value
        if (draw(change, 'mend') % 4 > 0) mendChecksum(bytes, block)
      }
      if (draw('cut') % 5 === 0) bytes = bytes.subarray(0, draw('length') % bytes.length)
      if (draw('repeat') % 7 === 0) bytes = Buffer.concat([bytes.subarray(0, -1024), bytes])
      if (draw('zip') % 2 === 0) {
        bytes = gzipSync(bytes, { level: 1 })
        if (draw('harm') % 3 === 0) bytes[draw('where') % bytes.length] ^= 1 << (draw('bit') % 8)
      }
      const outcome = await unpack(bytes, 100_000).then(
        () => 'unpacked',
        (error: unknown) => error,
      )
      if (typeof outcome !== 'string') {
        expect(outcome, String((outcome as Error).stack)).toBeInstanceOf(UserError)
        expect((outcome as Error).message).not.toContain('\n')
      }
      const kind = typeof outcome === 'string' ? outcome : 'refused'
      outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
      const outside = readdirSync(parent, { recursive: true, encoding: 'utf8' }).filter(
        (path) => !['a', 'a/b', 'a/b/folder', ...FILES.map((name) => `a/b/folder/${name}`)].includes(path),
      )
      expect(outside).toEqual([])
      for (const name of readdirSync(folder)) rmSync(join(folder, name))
    }
    // Both happen, or the changes are too small or too large to say anything.
    for (const kind of ['unpacked', 'refused']) expect(outcomes.get(kind) ?? 0).toBeGreaterThan(100)
  })

  it('refuses what unpacks to too much, is cut off, or is no archive', async () => {
    const bomb = tarGz([config, { ...weights, content: Buffer.alloc(50_000_000) }])
    await expect(unpack(bomb, 1_000_000)).rejects.toThrow('unpacks to more than 1000000 bytes')
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    const whole = tarGz([config, weights])
    await expect(unpack(whole.subarray(0, whole.length / 2))).rejects.toThrow(/the archive (is damaged|ends)/)
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    await expect(unpack(Buffer.alloc(2000, 65))).rejects.toThrow('is not a tar archive')
  })
})
