import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { readJson } from './json.ts'
import { SafetensorsReader } from './safetensors.ts'
import type { RowSource, TensorInfo } from './tensors.ts'

/** Which file holds each tensor, relative to the index. */
const indexSchema = z.object({ weight_map: z.record(z.string(), z.string()) })

/** File names an index may point at: those beside it. */
const SHARD_NAME = /^[^/\\]+\.safetensors$/

/** Files that an index names, in order. @throws UserError if it is malformed or names anything but files beside it. */
export function shardsOf(indexPath: string): string[] {
  const { weight_map } = readJson(indexPath, indexSchema)
  const names = [...new Set(Object.values(weight_map))].sort()
  const wrong = names.find((name) => !SHARD_NAME.test(name))
  if (wrong !== undefined) {
    throw new UserError(`${indexPath} names ${JSON.stringify(wrong)}; its parts must be .safetensors files beside it`)
  }
  return names.map((name) => join(dirname(indexPath), name))
}

/** Weights in several safetensors files that an index (`model.safetensors.index.json`) joins. */
export class ShardedReader implements RowSource {
  readonly path: string
  readonly tensors: ReadonlyMap<string, TensorInfo>
  private readonly shards: SafetensorsReader[] = []
  private readonly holders = new Map<string, SafetensorsReader>()

  /** @throws UserError if a part is missing or damaged, or does not hold what the index says. */
  constructor(indexPath: string) {
    this.path = indexPath
    try {
      for (const path of shardsOf(indexPath)) this.shards.push(new SafetensorsReader(path))
      const { weight_map } = readJson(indexPath, indexSchema)
      for (const [name, file] of Object.entries(weight_map)) {
        const shard = this.shards.find(({ path }) => basename(path) === file)
        if (!shard?.tensors.has(name)) {
          throw new UserError(`${indexPath}: ${name} is not in ${file}, where it should be; fetch the files again`)
        }
        this.holders.set(name, shard)
      }
    } catch (error) {
      this.close()
      throw error
    }
    this.tensors = new Map(
      [...this.holders].map(([name, shard]) => [name, shard.tensors.get(name) as TensorInfo] as const),
    )
  }

  read(name: string): Float32Array {
    return this.holder(name).read(name)
  }

  readRows(name: string, first: number, target: Float32Array): void {
    this.holder(name).readRows(name, first, target)
  }

  private holder(name: string): SafetensorsReader {
    const shard = this.holders.get(name)
    if (!shard) throw new Error(`${this.path} has no tensor ${name}`)
    return shard
  }

  close(): void {
    for (const shard of this.shards) shard.close()
  }
}
