import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { readJson, writeJson } from './json.ts'

const CHECKSUMS_FILE = 'checksums.json'
const CHUNK_BYTES = 2 ** 20

/** File name → SHA-256 of its content, in hexadecimal. */
const checksumsSchema = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/))

/** Write down what the files of a folder hold, as `checksums.json` in it: the last step of filling the folder. */
export function writeChecksums(folder: string): void {
  const names = readdirSync(folder).sort()
  writeJson(join(folder, CHECKSUMS_FILE), Object.fromEntries(names.map((name) => [name, fileHash(join(folder, name))])))
}

/**
 * Compare a folder's files with its `checksums.json`; a folder without one (a model from elsewhere) is taken as it is.
 * @throws UserError naming the first file that is missing or not what was written.
 */
export function verifyChecksums(folder: string): void {
  const path = join(folder, CHECKSUMS_FILE)
  if (!existsSync(path)) return
  for (const [name, expected] of Object.entries(readJson(path, checksumsSchema))) {
    const file = join(folder, name)
    if (!existsSync(file)) throw new UserError(`${folder} is damaged: ${name} is missing; take another checkpoint`)
    if (fileHash(file) === expected) continue
    throw new UserError(
      `${folder} is damaged: ${name} is not what was saved; take another checkpoint (or delete ${CHECKSUMS_FILE} if you changed the file yourself)`,
    )
  }
}

/** Read in pieces: a checkpoint may be larger than what one buffer holds. */
function fileHash(path: string): string {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const file = openSync(path, 'r')
  try {
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read))
  } finally {
    closeSync(file)
  }
  return hash.digest('hex')
}
