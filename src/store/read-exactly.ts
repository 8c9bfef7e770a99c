import { readSync } from 'node:fs'

/** More at once is refused by some systems. */
const MOST_AT_ONCE = 1 << 30

/** So many bytes of an open file from a position; undefined where it ends before. */
export function readExactly(file: number, length: number, position: number): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new Uint8Array(length)
  return fill(file, bytes, position) ? bytes : undefined
}

/** Fills `bytes` from a position of an open file; false where it ends before. */
export function fill(file: number, bytes: Uint8Array, position: number): boolean {
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(file, bytes, at, Math.min(bytes.length - at, MOST_AT_ONCE), position + at)
    if (count === 0) return false
    at += count
  }
  return true
}
