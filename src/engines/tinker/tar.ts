/** The files of a tar archive as they stream by: plain, or in gzip. Only what checkpoints are made of. */

import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { UserError } from '../../core/index.ts'

const BLOCK = 512
/** No name is longer, in bytes. */
const LONGEST_NAME = 4096
/** An adapter is a handful of files; headers before them and folders count, too. */
const MOST_ENTRIES = 1000

export interface TarFile {
  /** As the archive says: not to be trusted. */
  name: string
  size: number
  /** Its bytes; to be read to the end before the next file. */
  pieces: AsyncGenerator<Buffer>
}

/** Hands out exact numbers of bytes of a stream. */
class Bytes {
  private readonly source: AsyncIterator<Uint8Array>
  private held: Buffer = Buffer.alloc(0)
  private passed = 0
  private readonly most: number
  private readonly where: string

  constructor(source: AsyncIterable<Uint8Array>, most: number, where: string) {
    this.source = source[Symbol.asyncIterator]()
    this.most = most
    this.where = where
  }

  /** Up to `most` bytes, at least one; null at the end. */
  async some(most: number): Promise<Buffer | null> {
    while (this.held.length === 0) {
      const { done, value } = await this.source.next()
      if (done) return null
      this.passed += value.length
      if (this.passed > this.most) throw tooLarge(this.where, this.most)
      this.held = Buffer.from(value)
    }
    const piece = this.held.subarray(0, most)
    this.held = this.held.subarray(piece.length)
    return piece
  }

  async exactly(count: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for (let missing = count; missing > 0; ) {
      const piece = await this.some(missing)
      if (!piece) throw new UserError(`${this.where} ends in the middle: fetch it again`)
      pieces.push(piece)
      missing -= piece.length
    }
    return Buffer.concat(pieces)
  }

  /** Passes over bytes that nobody wants: as many as an archive says, and never more than one piece of them in memory. */
  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const piece = await this.some(left)
      if (!piece) throw new UserError(`${this.where} ends in the middle: fetch it again`)
      left -= piece.length
    }
  }

  /** Whatever is left is not wanted: a connection or a file behind it is let go. */
  async close(): Promise<void> {
    await this.source.return?.()
  }
}

/**
 * `mostBytes` bounds the archive, packed and unpacked.
 * @throws UserError where it is damaged, too large, or holds anything but files and folders (links point anywhere)
 */
export async function* tarFiles(
  archive: AsyncIterable<Uint8Array>,
  mostBytes: number,
  where: string,
): AsyncGenerator<TarFile> {
  const bytes = new Bytes(await unzipped(bounded(archive, mostBytes, where), where), mostBytes, where)
  try {
    yield* entries(bytes, mostBytes, where)
  } finally {
    await bytes.close()
  }
}

async function* entries(bytes: Bytes, mostBytes: number, where: string): AsyncGenerator<TarFile> {
  let longName: string | null = null
  let longSize: number | null = null
  for (let count = 0; ; count++) {
    if (count > MOST_ENTRIES) throw new UserError(`${where} has more than ${MOST_ENTRIES} entries: it is no adapter`)
    const header = await bytes.exactly(BLOCK)
    // Two empty blocks end an archive; one is enough.
    if (header.every((byte) => byte === 0)) return
    checkSum(header, where)
    const type = String.fromCharCode(header[156])
    const size: number = longSize ?? octal(header.subarray(124, 136), where)
    if (size > mostBytes) throw tooLarge(where, mostBytes)
    const padding = (BLOCK - (size % BLOCK)) % BLOCK
    if (type === 'x' || type === 'L') {
      if (size > LONGEST_NAME) throw new UserError(`${where} has a header of ${size} bytes: it is no adapter`)
      const text = (await bytes.exactly(size)).toString()
      await bytes.skip(padding)
      if (type === 'L') longName = text.replace(/\0.*$/s, '')
      else {
        longName = /^\d+ path=(.*)$/m.exec(text)?.[1] ?? longName
        const told = /^\d+ size=(\d+)$/m.exec(text)?.[1]
        longSize = told === undefined ? null : Number(told)
      }
      continue
    }
    const name: string = longName ?? shortName(header)
    longName = null
    longSize = null
    if (type === '0' || type === '\0') {
      let left = size
      yield {
        name,
        size,
        pieces: (async function* () {
          while (left > 0) {
            const piece = await bytes.some(left)
            if (!piece) throw new UserError(`${where} ends in the middle of ${JSON.stringify(name)}: fetch it again`)
            left -= piece.length
            yield piece
          }
        })(),
      }
      await bytes.skip(left + padding)
    } else if (type === '5' || type === 'g') await bytes.skip(size + padding)
    else throw new UserError(`${where}: ${JSON.stringify(name)} is neither file nor folder: it is no adapter`)
  }
}

/** The packed bytes: gzip of nothing can go on for ever. */
async function* bounded(archive: AsyncIterable<Uint8Array>, most: number, where: string): AsyncGenerator<Uint8Array> {
  let passed = 0
  for await (const piece of archive) {
    passed += piece.length
    if (passed > most) throw tooLarge(where, most)
    yield piece
  }
}

function tooLarge(where: string, most: number): UserError {
  return new UserError(`${where} unpacks to more than ${most} bytes: it is no adapter`)
}

async function unzipped(archive: AsyncIterable<Uint8Array>, where: string): Promise<AsyncIterable<Uint8Array>> {
  const source = archive[Symbol.asyncIterator]()
  const first = await source.next()
  const whole = (async function* () {
    try {
      if (!first.done) yield first.value
      for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
    } finally {
      await source.return?.()
    }
  })()
  if (first.done || first.value[0] !== 0x1f || first.value[1] !== 0x8b) return whole
  return (async function* () {
    const input = Readable.from(whole)
    const gunzip = createGunzip()
    input.on('error', (error) => gunzip.destroy(error))
    try {
      yield* input.pipe(gunzip)
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
        throw new UserError(`${where} is damaged (${error.message}): fetch it again`)
      }
      throw error
    } finally {
      input.destroy()
    }
  })()
}

function shortName(header: Buffer): string {
  const text = (from: number, to: number) => header.toString('utf8', from, to).replace(/\0.*$/s, '')
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? text(345, 500) : ''
  return prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`
}

function octal(field: Buffer, where: string): number {
  // Sizes of 8 GiB and more are binary.
  if (field[0] & 0x80) return field.subarray(4).reduce((sum, byte) => sum * 256 + byte, 0)
  const digits = field
    .toString('latin1')
    .trimStart()
    .replace(/[\0 ].*$/s, '')
  const value = Number.parseInt(digits || '0', 8)
  if (!/^[0-7]*$/.test(digits)) throw new UserError(`${where} is not a tar archive`)
  return value
}

function checkSum(header: Buffer, where: string): void {
  const told = octal(header.subarray(148, 156), where)
  const counted = header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 0x20 : byte), 0)
  if (told !== counted) throw new UserError(`${where} is not a tar archive`)
}
