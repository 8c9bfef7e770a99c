import { readFileSync } from 'node:fs'
import zlib from 'node:zlib'
import { type Compressors, parquetReadObjects } from 'hyparquet'
import { UserError } from '../../core/index.ts'

/** Snappy is the library's own. Node knows Zstandard from version 22.15 on. */
const zstd = (zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Uint8Array }).zstdDecompressSync
const COMPRESSORS: Compressors = {
  GZIP: (bytes) => zlib.gunzipSync(bytes),
  BROTLI: (bytes) => zlib.brotliDecompressSync(bytes),
  ...(zstd ? { ZSTD: (bytes: Uint8Array) => zstd(bytes) } : {}),
}

/** Rows of a Parquet file, its whole numbers as numbers. @throws UserError where it cannot be read. */
export async function readParquet(path: string): Promise<Record<string, unknown>[]> {
  const bytes = readFileSync(path)
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
  try {
    return (await parquetReadObjects({ file, compressors: COMPRESSORS })).map(
      (row) => plain(row) as Record<string, unknown>,
    )
  } catch (error) {
    const { message } = error as Error
    const old = /ZSTD/.test(message) ? '; Zstandard needs Node 22.15 or newer' : ''
    throw new UserError(`${path} cannot be read as Parquet: ${message.replace(/\s+/g, ' ')}${old}`)
  }
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object' || value instanceof Date || ArrayBuffer.isView(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}
