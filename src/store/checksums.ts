import { createHash, type Hash } from 'node:crypto'
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
 * Compare a folder's files with its `checksums.json`, and say what is wrong with the first one that is missing or not what
 * was written; null where all is well. A folder without checksums (a model from elsewhere) is taken as it is.
 */
export function damageIn(folder: string): string | null {
  const path = join(folder, CHECKSUMS_FILE)
  if (!existsSync(path)) return null
  let checksums: z.infer<typeof checksumsSchema>
  try {
    checksums = readJson(path, checksumsSchema)
  } catch {
    return `${CHECKSUMS_FILE} is not what was saved`
  }
  for (const [name, expected] of Object.entries(checksums)) {
    const file = join(folder, name)
    if (!existsSync(file)) return `${name} is missing`
    if (fileHash(file) !== expected) return `${name} is not what was saved`
  }
  return null
}

/** @throws UserError if there is damage in the folder: which file, and what to do. */
export function verifyChecksums(folder: string): void {
  const damage = damageIn(folder)
  if (damage === null) return
  throw new UserError(
    `${folder} is damaged: ${damage}; take another checkpoint, or delete its ${CHECKSUMS_FILE} if you changed the file yourself`,
  )
}

function fileHash(path: string): string {
  const hash = createHash('sha256')
  updateFromFile(hash, path)
  return hash.digest('hex')
}

/** Hash a file's content in pieces: it may be larger than what one buffer holds. */
export function updateFromFile(hash: Hash, path: string): void {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const file = openSync(path, 'r')
  try {
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read))
  } finally {
    closeSync(file)
  }
}
