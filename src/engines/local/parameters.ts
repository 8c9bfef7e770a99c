import { hash32, UserError } from '../../core/index.ts'
import { elements, type TensorSource, type WritableTensor } from '../../store/index.ts'
import type { ModelConfig, ParameterSpec } from './config.ts'

/** How many numbers the parameters hold. */
export function sizeOf(specs: readonly ParameterSpec[]): number {
  return specs.reduce((sum, { shape }) => sum + elements(shape), 0)
}

/** Parameters (or one moment of them, or their gradients) in one flat array, with a view per parameter. */
export class ParameterSet {
  readonly flat: Float32Array
  readonly specs: readonly ParameterSpec[]
  private readonly views = new Map<string, Float32Array>()

  /** `flat` is where the parameters are to lie, an array of zeros of their size. */
  constructor(specs: readonly ParameterSpec[], flat: Float32Array = new Float32Array(sizeOf(specs))) {
    this.specs = specs
    this.flat = flat
    let at = 0
    for (const { name, shape } of specs) {
      const end = at + elements(shape)
      this.views.set(name, flat.subarray(at, end))
      at = end
    }
  }

  /** The parameter's part of `flat`: writing to it writes the parameter. */
  view(name: string): Float32Array {
    const view = this.views.get(name)
    if (!view) throw new Error(`no parameter named ${name}`)
    return view
  }

  entries(): IterableIterator<[string, Float32Array]> {
    return this.views.entries()
  }

  /** Names, shapes and values in the fixed order, to be written. */
  tensors(): Map<string, WritableTensor> {
    return new Map(this.specs.map(({ name, shape }) => [name, { shape, data: this.view(name) }]))
  }

  /** Take over all values by name, after checking every one: on an error nothing has changed. Other tensors are ignored. */
  assign(source: TensorSource): void {
    requireShapes(source, this.specs)
    // Read twice rather than held twice.
    for (const { name } of this.specs) requireFinite(name, source.read(name), source.path)
    for (const { name } of this.specs) this.view(name).set(source.read(name))
  }
}

/** @throws UserError unless every parameter is there, in its shape. */
export function requireShapes(source: TensorSource, specs: readonly ParameterSpec[]): void {
  for (const { name, shape } of specs) {
    const tensor = source.tensors.get(name)
    if (!tensor) {
      throw new UserError(`${source.path} has no tensor ${name}: is it a model of the shape in its config.json?`)
    }
    if (tensor.shape.join() !== shape.join()) {
      throw new UserError(`${source.path}: ${name} has shape [${tensor.shape}], its config.json asks for [${shape}]`)
    }
  }
}

/** @throws UserError where a tensor holds NaN or an infinity: everything computed with it would be nonsense. */
export function requireFinite(name: string, data: Float32Array, source: string): void {
  const at = data.findIndex((value) => !Number.isFinite(value))
  if (at < 0) return
  throw new UserError(
    `${source}: ${name} holds ${data[at]} (entry ${at}): its training diverged or the file is damaged`,
  )
}

/** Where the config does not say, as everywhere. */
const STANDARD_DEVIATION = 0.02

/** Standard normal number from a seed and a counter (Box–Muller). */
function normal(seed: number, counter: number): number {
  const u = (hash32(seed, counter, 0) + 1) / 4294967297
  const v = hash32(seed, counter, 1) / 4294967296
  return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v)
}

/**
 * Random weights, a pure function of the seed: normal with the config's `initializer_range`, norms 1, biases 0, and the
 * projections that write into the residual stream smaller by √(2 · layers), so that its variance does not grow with depth.
 */
export function initialise(parameters: ParameterSet, config: ModelConfig, seed: number): void {
  const range = config.initializer_range ?? STANDARD_DEVIATION
  const residual = range / Math.sqrt(2 * config.num_hidden_layers)
  for (const [name, view] of parameters.entries()) {
    if (name.endsWith('norm.weight') || name.endsWith('.bias')) {
      view.fill(name.endsWith('.bias') ? 0 : 1)
      continue
    }
    const deviation = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight') ? residual : range
    const own = hash32('weights', seed, name)
    for (let i = 0; i < view.length; i++) view[i] = deviation * normal(own, i)
  }
}
