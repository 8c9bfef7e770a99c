import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf, writeCacheFile } from '../store/index.ts'

/** Vectors of length 1 on the disk, one file each, by the hash of model and text. Any number of processes may share a folder. */
export class VectorFiles {
  private readonly folder: string
  private readonly model: unknown

  /** `model`: all that decides a text's vector. */
  constructor(folder: string, model: unknown) {
    this.folder = folder
    this.model = model
  }

  /** A file that is not there, or is no vector, counts as none: asking again replaces it. */
  get(text: string): Float32Array | null {
    try {
      const bytes = readFileSync(this.path(text))
      if (bytes.length === 0 || bytes.length % 4 !== 0) return null
      const vector = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
      return Math.abs(Math.hypot(...vector) - 1) < 1e-3 ? vector : null
    } catch {
      return null
    }
  }

  /** @throws UserError (disk) */
  put(text: string, vector: Float32Array): void {
    writeCacheFile(this.path(text), Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength))
  }

  /** Not all in one folder: there may be hundreds of thousands. */
  private path(text: string): string {
    const key = hashOf({ model: this.model, text })
    return join(this.folder, key.slice(0, 2), `${key.slice(2)}.f32`)
  }
}
