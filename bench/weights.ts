/** How fast two models on the disk's cache are compared, beside what it takes only to read their files. */
import { closeSync, mkdtempSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ModelConfig, modelConfigSchema, parameterSpecs, writeModelFiles } from '../src/engines/index.ts'
import { weightChange } from '../src/evaluation/index.ts'
import { elements, type FloatType, type WritableTensor } from '../src/store/index.ts'
import type { Row } from './row.ts'

const ROUNDS = 5
const PIECE = 1 << 17

/** The shape of a model of half a billion parameters, with four of its layers. */
const config = modelConfigSchema.parse({
  model_type: 'qwen2',
  vocab_size: 40_000,
  hidden_size: 896,
  intermediate_size: 4864,
  num_hidden_layers: 4,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  max_position_embeddings: 1024,
})

function writeModel(folder: string, of: ModelConfig, dtype: FloatType, salt: number): void {
  const tensors = parameterSpecs(of).map(({ name, shape }): [string, WritableTensor] => {
    const data = Float32Array.from({ length: elements(shape) }, (_, i) => Math.sin(i) * (1 + salt * ((i % 17) - 8)))
    return [name, { shape, data }]
  })
  writeModelFiles(folder, of, new Map(tensors), new Map(), dtype)
}

/** Both files read through one small buffer: what the system takes to hand over their bytes. */
function readOnly(folders: string[]): void {
  const buffer = new Uint8Array(PIECE)
  for (const folder of folders) {
    const file = openSync(join(folder, 'model.safetensors'), 'r')
    while (readSync(file, buffer) > 0);
    closeSync(file)
  }
}

function fastest(work: () => void): number {
  const seconds = Array.from({ length: ROUNDS + 1 }, () => {
    const start = performance.now()
    work()
    return (performance.now() - start) / 1000
  })
  return Math.min(...seconds.slice(1))
}

/** Takes some ten seconds, and half a gigabyte of disk. */
export async function benchWeights(): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), 'rwml-bench-'))
  try {
    return (['F32', 'BF16'] as const).flatMap((dtype) => {
      const folders = [0, 1e-4].map((salt) => {
        const folder = mkdtempSync(join(root, dtype))
        writeModel(folder, config, dtype, salt)
        return folder
      })
      const bytes = folders.flatMap((folder) => readdirSync(folder).map((name) => statSync(join(folder, name)).size))
      const size = bytes.reduce((a, b) => a + b, 0) / 1e9
      const [compared, read] = [fastest(() => weightChange(folders[0], folders[1])), fastest(() => readOnly(folders))]
      for (const folder of folders) rmSync(folder, { recursive: true })
      const name = `compare two models of ${dtype}`
      return [
        { name, value: size / compared, unit: 'GB/s' },
        { name: `${name}, only read`, value: size / read, unit: 'GB/s' },
        { name: `${name}, reading's share`, value: read / compared, unit: '' },
      ]
    })
  } finally {
    rmSync(root, { recursive: true })
  }
}
