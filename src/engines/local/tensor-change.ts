import { UserError } from '../../core/index.ts'
import { elements, type RowSource, rowWidth } from '../../store/index.ts'
import { type ParameterSpec, parameterSpecs } from './config.ts'
import { BLOCK, inBlocks, kernelArrays } from './kernel/index.ts'
import { openModelWeights, readModelConfig } from './model-folder.ts'
import { requireShapes } from './parameters.ts'

/**
 * A weight has moved by a threshold t where |Δw| > t·|w|, w before: the paper names none, so several are counted, the middle
 * one being ours. A weight that was 0 has moved if it is not any more.
 */
export const MOVED_THRESHOLDS = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1] as const

/** How one tensor differs from what it was. */
export interface TensorChange {
  name: string
  shape: readonly number[]
  /** Weights that moved, by each of `MOVED_THRESHOLDS`. */
  moved: number[]
  /** Σ Δw² and Σ w², in double precision. */
  change: number
  size: number
  /** The largest |Δw|. */
  largest: number
}

/**
 * Every tensor of a model folder beside the same tensor of another, adapters added to their bases. One after the other and each
 * in pieces that stay in the processor's cache: two models of any size take some megabytes. Differences and thresholds are
 * computed in float32.
 * @throws UserError where the two do not hold the same tensors, or a value is not finite.
 */
export function* tensorChanges(before: string, after: string): Generator<TensorChange> {
  const specs = parameterSpecs(readModelConfig(before))
  requireSame(before, specs, after, parameterSpecs(readModelConfig(after)))
  const sources: RowSource[] = []
  try {
    for (const folder of [before, after]) {
      const source = openModelWeights(folder)
      sources.push(source)
      requireShapes(source, specs)
    }
    const longest = specs.reduce((most, { shape }) => Math.max(most, rowWidth(shape)), BLOCK)
    const room = kernelArrays(2, longest)
    for (const spec of specs) yield tensorChange(spec, sources, room)
  } finally {
    for (const source of sources) source.close()
  }
}

function tensorChange({ name, shape }: ParameterSpec, sources: RowSource[], room: Float32Array[]): TensorChange {
  const width = rowWidth(shape)
  const rows = elements(shape) / width
  const atOnce = Math.floor(room[0].length / width)
  const total: TensorChange = { name, shape, moved: MOVED_THRESHOLDS.map(() => 0), change: 0, size: 0, largest: 0 }
  for (let first = 0; first < rows; first += atOnce) {
    const pieces = room.map((array) => array.subarray(0, width * Math.min(atOnce, rows - first)))
    for (const [i, source] of sources.entries()) source.readRows(name, first, pieces[i])
    addChange(total, pieces)
  }
  if (Number.isFinite(total.change + total.size)) return total
  throw new UserError(`${name} of ${sources.map(({ path }) => path).join(' or ')} holds a value that is not finite`)
}

function addChange(total: TensorChange, pieces: readonly Float32Array[]): void {
  inBlocks(pieces, { written: 0, padding: 0 }, (kernel, count, [from, to]) => {
    const found = kernel.change(count, from, to, ...MOVED_THRESHOLDS)
    const [change, size, largest] = found.slice(MOVED_THRESHOLDS.length)
    for (const i of MOVED_THRESHOLDS.keys()) total.moved[i] += found[i]
    total.change += change
    total.size += size
    total.largest = Math.max(total.largest, largest)
  })
}

function requireSame(before: string, ours: ParameterSpec[], after: string, theirs: ParameterSpec[]): void {
  const shapes = [ours, theirs].map((specs) => new Map(specs.map(({ name, shape }) => [name, shape.join(' × ')])))
  for (const name of new Set(shapes.flatMap((one) => [...one.keys()]))) {
    const [left, right] = shapes.map((one) => one.get(name) ?? 'missing')
    if (left === right) continue
    throw new UserError(
      `${name} is ${left} in ${before} and ${right} in ${after}: compare a model with one that was trained from it`,
    )
  }
}
