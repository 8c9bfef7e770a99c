import { z } from 'zod'
import { MOVED_THRESHOLDS, type TensorChange, tensorChanges } from '../engines/index.ts'

/** Sorts of weights in the order of a model; biases count with the matrix they belong to. */
export const WEIGHT_MODULES = ['embedding', 'q', 'k', 'v', 'o', 'gate', 'up', 'down', 'norms', 'head'] as const

export type WeightModule = (typeof WEIGHT_MODULES)[number]

/** Position of our threshold, |Δw| > 1e-3·|w|, among those that are counted. */
export const MAIN_THRESHOLD = MOVED_THRESHOLDS.indexOf(1e-3)

const movedSchema = z.object({
  weights: z.number(),
  /** Share in [0, 1] that moved, by each threshold. */
  moved: z.array(z.number()),
  /** ‖Δw‖ / ‖w‖ with w before; null where all of w was 0. */
  relativeNorm: z.number().nullable(),
  /** The largest |Δw|. */
  largest: z.number(),
})

/** How far some weights moved. */
export type Moved = z.infer<typeof movedSchema>

export const weightChangeSchema = z.object({
  thresholds: z.array(z.number()),
  all: movedSchema,
  /** By module, those that the model has, in the model's order. */
  modules: z.array(movedSchema.extend({ module: z.enum(WEIGHT_MODULES) })),
  /** By layer from 0; embedding, last norm and head are in none. */
  layers: z.array(movedSchema),
  /** By layer and module. */
  cells: z.array(movedSchema.extend({ layer: z.int(), module: z.enum(WEIGHT_MODULES) })),
  tensors: z.array(movedSchema.extend({ name: z.string() })),
})

/** How far one model's weights lie from another's. */
export type WeightChange = z.infer<typeof weightChangeSchema>

/**
 * Where training moved a model: share of weights with |Δw| > t·|w| for several t, relative norm and largest change, by tensor,
 * layer and module (method, section 7). Folders of whole weights or adapters, of any size: they pass through piece by piece.
 * In a model stored as bf16 one step is 0.4 to 0.8 % of a weight, so whatever changed at all has moved by the thresholds below.
 * @throws UserError where the two are not of one shape, or damaged.
 */
export function weightChange(before: string, after: string): WeightChange {
  const tensors = [...tensorChanges(before, after)]
  const layers = groupBy(tensors, ({ name }) => layerOf(name))
  const modules = groupBy(tensors, ({ name }) => moduleOf(name))
  const inOrder = (there: Map<WeightModule, TensorChange[]>) =>
    WEIGHT_MODULES.flatMap((module) => {
      const parts = there.get(module)
      return parts ? [{ module, ...together(parts) }] : []
    })
  const numbered = [...layers].flatMap(([layer, parts]) => (layer === null ? [] : [{ layer, parts }]))
  return {
    thresholds: [...MOVED_THRESHOLDS],
    all: together(tensors),
    modules: inOrder(modules),
    layers: numbered.map(({ parts }) => together(parts)),
    cells: numbered.flatMap(({ layer, parts }) =>
      inOrder(groupBy(parts, ({ name }) => moduleOf(name))).map((cell) => ({ layer, ...cell })),
    ),
    tensors: tensors.map((one) => ({ name: one.name, ...together([one]) })),
  }
}

function together(parts: readonly TensorChange[]): Moved {
  const sum = (of: (part: TensorChange) => number) => parts.reduce((total, part) => total + of(part), 0)
  const weights = sum(({ shape }) => shape.reduce((a, b) => a * b, 1))
  const size = sum((part) => part.size)
  return {
    weights,
    moved: MOVED_THRESHOLDS.map((_, i) => sum(({ moved }) => moved[i]) / weights),
    relativeNorm: size === 0 ? null : Math.sqrt(sum(({ change }) => change) / size),
    largest: parts.reduce((most, { largest }) => Math.max(most, largest), 0),
  }
}

function groupBy<Key>(tensors: readonly TensorChange[], keyOf: (one: TensorChange) => Key): Map<Key, TensorChange[]> {
  const groups = new Map<Key, TensorChange[]>()
  for (const one of tensors) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

function layerOf(name: string): number | null {
  const found = /^model\.layers\.(\d+)\./.exec(name)
  return found ? Number(found[1]) : null
}

function moduleOf(name: string): WeightModule {
  const projection = /\.(q|k|v|o|gate|up|down)_proj\./.exec(name)
  if (projection) return projection[1] as WeightModule
  if (name.includes('norm')) return 'norms'
  return name.startsWith('lm_head.') ? 'head' : 'embedding'
}
