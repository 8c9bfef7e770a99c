/** Adapters on disk as PEFT keeps them: `adapter_config.json`, `adapter_model.safetensors`, and the base model elsewhere. */
import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../core/index.ts'
import {
  type RowSource,
  readJson,
  rowWidth,
  SafetensorsReader,
  type TensorInfo,
  type TensorSource,
  type WritableTensor,
  writeJson,
  writeSafetensors,
} from '../../store/index.ts'
import { addProduct, LORA_TARGETS, type Lora, loraNames, loraScale } from './lora.ts'

export const ADAPTER_CONFIG = 'adapter_config.json'
export const ADAPTER_WEIGHTS = 'adapter_model.safetensors'

/** PEFT wraps the model twice. */
const PREFIX = 'base_model.model.'

const isEmpty = (table: object) => Object.keys(table).length === 0

/** What of PEFT's settings changes what is computed; each must be as it is computed here. */
const adapterConfigSchema = z.looseObject({
  peft_type: z.literal('LORA', 'only LoRA adapters are read'),
  base_model_name_or_path: z.string().min(1),
  r: z.int().min(1),
  lora_alpha: z.number().positive(),
  use_rslora: z.literal(false, 'rank-stabilised adapters are not read').default(false),
  use_dora: z.literal(false, 'DoRA adapters are not read').default(false),
  fan_in_fan_out: z.literal(false, 'transposed weights are not read').default(false),
  bias: z.literal('none', 'adapters with biases are not read').default('none'),
  rank_pattern: z.record(z.string(), z.number()).refine(isEmpty, 'ranks by layer are not read').default({}),
  alpha_pattern: z.record(z.string(), z.number()).refine(isEmpty, 'alphas by layer are not read').default({}),
  modules_to_save: z.null('whole modules beside the adapter are not read').default(null),
})

/** An adapter's settings, where its base model is, and its matrices by our names. */
export interface Adapter {
  lora: Lora
  /** Folder of the base model. */
  base: string
  /** Hash of the base's weights; empty where whoever wrote the adapter did not note it. */
  baseHash: string
  /** Matrices by their names in the model: `model.layers.0.self_attn.q_proj.lora_A.weight`. */
  weights: TensorSource
}

export function isAdapterFolder(folder: string): boolean {
  return existsSync(join(folder, ADAPTER_CONFIG))
}

/** Folder of the model that an adapter belongs to. @throws UserError where it is not here. */
export function baseOf(folder: string): string {
  const path = join(folder, ADAPTER_CONFIG)
  const { base_model_name_or_path: name } = readJson(path, adapterConfigSchema)
  const found = isAbsolute(name) ? name : resolve(folder, name)
  if (found === resolve(folder)) throw new UserError(`${path} names its own folder as its base model`)
  if (existsSync(join(found, 'config.json'))) return found
  throw new UserError(
    `${path}: its base model ${name} is not here: bring it in (rwml model import) and write its folder as base_model_name_or_path`,
  )
}

/** Open an adapter; close its weights. @throws UserError where it is damaged, or of a kind that is not computed here. */
export function openAdapter(folder: string): Adapter {
  const path = join(folder, ADAPTER_CONFIG)
  const { r: rank, lora_alpha: alpha } = readJson(path, adapterConfigSchema)
  const base = baseOf(folder)
  const file = new SafetensorsReader(join(folder, ADAPTER_WEIGHTS))
  try {
    const stored = new Map([...file.tensors.keys()].map((name) => [ownName(name, file.path), name]))
    const targets = LORA_TARGETS.filter((target) =>
      [...stored.keys()].some((name) => name.includes(`.${target}.lora_`)),
    )
    const tensors = new Map([...stored].map(([own, name]) => [own, file.tensors.get(name) as TensorInfo]))
    const weights: TensorSource = {
      path: file.path,
      tensors,
      read: (name) => file.read(stored.get(name) ?? name),
      close: () => file.close(),
    }
    return { lora: { rank, alpha, targets }, base, baseHash: file.metadata.base ?? '', weights }
  } catch (error) {
    file.close()
    throw error
  }
}

function ownName(name: string, path: string): string {
  const module = LORA_TARGETS.some((target) => /\.lora_[AB]\.weight$/.test(name) && name.includes(`.${target}.lora_`))
  if (module && name.startsWith(PREFIX)) return name.slice(PREFIX.length)
  throw new UserError(`${path} holds ${name}, which is no low-rank matrix beside one of ${LORA_TARGETS.join(', ')}`)
}

/** Write the two files of an adapter into an existing folder. */
export function writeAdapterFiles(
  folder: string,
  { lora, base, baseHash }: Omit<Adapter, 'weights'>,
  tensors: ReadonlyMap<string, WritableTensor>,
): void {
  writeJson(join(folder, ADAPTER_CONFIG), {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: resolve(base),
    r: lora.rank,
    lora_alpha: lora.alpha,
    lora_dropout: 0,
    target_modules: lora.targets,
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
  })
  writeSafetensors(
    join(folder, ADAPTER_WEIGHTS),
    new Map([...tensors].map(([name, tensor]) => [PREFIX + name, tensor])),
    { metadata: { format: 'pt', base: baseHash } },
  )
}

/** A base model's weights with an adapter added, tensor by tensor. */
export class MergedWeights implements RowSource {
  readonly path: string
  readonly tensors: ReadonlyMap<string, TensorInfo>
  private readonly base: RowSource
  private readonly adapter: Adapter
  /** The adapter's matrices beside the weight that was read last: its next rows need them again. */
  private beside: { name: string; a: Float32Array; b: Float32Array } | undefined

  /** Closes the base with itself, or where the adapter does not fit it. @throws UserError then. */
  constructor(base: RowSource, adapter: Adapter) {
    this.base = base
    this.adapter = adapter
    this.path = adapter.weights.path
    try {
      this.tensors = mergedTensors(base, adapter)
    } catch (error) {
      base.close()
      throw error
    }
  }

  read(name: string): Float32Array {
    const values = this.base.read(name)
    this.addAdapter(name, 0, values)
    return values
  }

  readRows(name: string, first: number, target: Float32Array): void {
    this.base.readRows(name, first, target)
    this.addAdapter(name, first, target)
  }

  private addAdapter(name: string, first: number, rows: Float32Array): void {
    const names = loraNames(name)
    const { weights, lora } = this.adapter
    const info = weights.tensors.get(names.a)
    if (!info) return
    if (this.beside?.name !== name) this.beside = { name, a: weights.read(names.a), b: weights.read(names.b) }
    const { a, b } = this.beside
    const last = first + rows.length / rowWidth(info.shape)
    addProduct(rows, a, b.subarray(first * lora.rank, last * lora.rank), lora.rank, loraScale(lora))
  }

  close(): void {
    this.base.close()
    this.adapter.weights.close()
  }
}

/** The base's tensors, those with an adapter as F32. */
function mergedTensors(base: TensorSource, { lora, weights }: Adapter): Map<string, TensorInfo> {
  const tensors = new Map(base.tensors)
  const seen = new Set<string>()
  for (const [name, info] of base.tensors) {
    const { a, b } = loraNames(name)
    const shapes = [a, b].map((one) => weights.tensors.get(one)?.shape.join())
    if (shapes.every((shape) => shape === undefined)) continue
    const [out, width] = info.shape
    if (shapes[0] !== `${lora.rank},${width}` || shapes[1] !== `${out},${lora.rank}`) {
      throw new UserError(
        `${weights.path}: its matrices beside ${name} are [${shapes[0] ?? 'missing'}] and [${shapes[1] ?? 'missing'}], not [${lora.rank},${width}] and [${out},${lora.rank}]: is it an adapter of ${base.path}?`,
      )
    }
    for (const one of [a, b]) seen.add(one)
    tensors.set(name, { shape: info.shape, dtype: 'F32', bytes: 4 * out * width })
  }
  const lost = [...weights.tensors.keys()].find((name) => !seen.has(name))
  if (lost === undefined) return tensors
  throw new UserError(
    `${weights.path}: ${lost} has no weight beside it in ${base.path}: is it an adapter of that model?`,
  )
}
