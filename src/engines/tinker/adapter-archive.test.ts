import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { unpackAdapter } from './adapter-archive.ts'
import { type TarEntry, tar, tarGz } from './testing/tar-gz.ts'

const folder = mkdtempSync(join(tmpdir(), 'archive-'))
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
})

const config = { name: 'adapter_config.json', content: Buffer.from('{"peft_type":"LORA","r":4,"lora_alpha":8}') }
const weights = { name: 'adapter_model.safetensors', content: Buffer.alloc(3000, 7) }

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

  it.each([
    [
      'a name with ..',
      { ...config, name: '../adapter_config.json' },
      /"\.\.\/adapter_config.json" reaches out of its folder/,
    ],
    ['a path from the root', { ...config, name: '/etc/adapter_config.json' }, /reaches out of its folder/],
    ['a path from a drive', { ...config, name: 'C:\\adapter_config.json' }, /reaches out of its folder/],
    ['a link', { ...config, content: Buffer.alloc(0), type: '2' }, /neither file nor folder/],
    ['two of one name', { ...weights, name: 'again/adapter_model.safetensors' }, /twice/],
    ['no config', { name: 'other', content: Buffer.alloc(0) }, /holds no adapter_config.json/],
  ])('refuses %s', async (_, entry: TarEntry, message) => {
    await expect(unpack(tarGz([weights, entry]))).rejects.toThrow(message)
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
