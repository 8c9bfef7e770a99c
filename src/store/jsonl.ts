import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { z } from 'zod'
import { plainIssue, UserError } from '../core/index.ts'
import { makeFolder, syncFolder } from './folder.ts'
import { readExactly } from './read-exactly.ts'
import { explained, writing } from './write-error.ts'

const NEWLINE = 10
const CHUNK_BYTES = 2 ** 20

/**
 * An append-only file of one JSON value a line, with an index of offsets for random access. One process writes at a time
 * (see `RunLock`). A crash leaves at most one torn line, at the end; opening drops it and says so in `dropped`.
 */
export class JsonLines<T> {
  readonly path: string
  /** Torn lines removed on opening: 0 or 1. */
  readonly dropped: number
  private readonly schema: z.ZodType<T>
  private readonly file: number
  /** Where each line starts, and where the next one will. */
  private readonly offsets: number[]

  /** Opens or makes the file. Values are checked against the schema when they are read. */
  constructor(path: string, schema: z.ZodType<T>) {
    this.path = path
    this.schema = schema
    makeFolder(dirname(path))
    this.file = writing(path, () => openSync(path, 'a+'))
    this.offsets = lineOffsets(this.file)
    const end = this.offsets[this.offsets.length - 1]
    this.dropped = fstatSync(this.file).size > end ? 1 : 0
    writing(path, () => {
      if (this.dropped > 0) ftruncateSync(this.file, end)
      syncFolder(dirname(path))
    })
  }

  get length(): number {
    return this.offsets.length - 1
  }

  /** Appends all values in one write, which is on the disk when this returns. */
  append(values: readonly T[]): void {
    if (values.length === 0) return
    const lines = values.map((value) => Buffer.from(`${JSON.stringify(value)}\n`))
    const bytes = Buffer.concat(lines)
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.file, bytes, at)
      fsyncSync(this.file)
    } catch (error) {
      const reason = explained(error, `write ${this.path}`, { path: this.path, bytes: bytes.length })
      this.dropUnfinished()
      throw reason
    }
    for (const line of lines) this.offsets.push(this.offsets[this.offsets.length - 1] + line.length)
  }

  /** The value of one line, counted from 0. */
  at(index: number): T {
    if (!(index >= 0 && index < this.length))
      throw new Error(`${this.path} has ${this.length} lines, there is no line ${index}`)
    const start = this.offsets[index]
    const bytes = readWhole(this.file, this.offsets[index + 1] - start, start)
    return parseLine(this.path, index, bytes.toString('utf8'), this.schema)
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = 0; index < this.length; index++) yield this.at(index)
  }

  /** Forgets all lines from `length` on: what was written after the point that a resumed run goes back to. */
  truncate(length: number): void {
    if (length >= this.length) return
    writing(this.path, () => {
      ftruncateSync(this.file, this.offsets[length])
      fsyncSync(this.file)
    })
    this.offsets.length = length + 1
  }

  close(): void {
    closeSync(this.file)
  }

  /** A full disk: what was written of a line must not stand before the next. Where this fails too, opening does it. */
  private dropUnfinished(): void {
    try {
      ftruncateSync(this.file, this.offsets[this.offsets.length - 1])
    } catch {}
  }
}

/** All values of a file that another process may still be writing: a torn last line is ignored, nothing is changed. */
export function readLines<T>(path: string, schema: z.ZodType<T>): T[] {
  if (!existsSync(path)) throw new UserError(`${path} is missing`)
  const file = openSync(path, 'r')
  try {
    const offsets = lineOffsets(file)
    const bytes = readWhole(file, offsets[offsets.length - 1], 0)
    return offsets.slice(0, -1).map((start, index) => {
      return parseLine(path, index, bytes.toString('utf8', start, offsets[index + 1]), schema)
    })
  } finally {
    closeSync(file)
  }
}

/** Start of every complete line, then the end of the last one. */
function lineOffsets(file: number): number[] {
  const offsets = [0]
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let at = 0; ; ) {
    const read = readSync(file, chunk, 0, chunk.length, at)
    if (read === 0) return offsets
    for (let i = chunk.indexOf(NEWLINE); i >= 0 && i < read; i = chunk.indexOf(NEWLINE, i + 1)) offsets.push(at + i + 1)
    at += read
  }
}

function readWhole(file: number, length: number, position: number): Buffer {
  const bytes = readExactly(file, length, position)
  if (!bytes) throw new Error('a file became shorter while it was read')
  return Buffer.from(bytes.buffer)
}

function parseLine<T>(path: string, index: number, line: string, schema: z.ZodType<T>): T {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new UserError(
      `${path}, line ${index + 1}: not valid JSON; the file was damaged, restore it or start a new run`,
    )
  }
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  throw new UserError(`${path}, line ${index + 1}: ${plainIssue(checked.error.issues[0], 'the line')}`)
}
