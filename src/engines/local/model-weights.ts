import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { UserError } from '../../core/index.ts'
import { ADAPTER_CONFIG, isAdapterFolder, openAdapter, writeAdapterFiles } from './adapter-folder.ts'
import { type ModelConfig, parameterSpecs } from './config.ts'
import { kernelArrays } from './kernel/index.ts'
import { addProduct, initialiseLora, type Lora, loraNames, loraScale, loraSpecs, loraWeights } from './lora.ts'
import { openModelWeights, readCompanions, readModelConfig, writeDescription, writeModelFiles } from './model-folder.ts'
import { initialise, ParameterSet, sizeOf } from './parameters.ts'

/**
 * The weights of a model. All of them are trained, or they stand still and an adapter beside them is trained: then copies share
 * them, and what is saved is the adapter alone.
 */
export class ModelWeights {
  readonly config: ModelConfig
  readonly base: ParameterSet
  readonly lora: Lora | undefined
  /** What is trained: the base itself, or the adapter's matrices. */
  readonly trained: ParameterSet
  /** Three arrays of its size that lie in the same memory: for its gradient and the optimiser's moments. */
  readonly beside: Float32Array[]
  /** The folder that the base is from. */
  private source: string | undefined
  private baseHash = ''
  /** Room for base and adapter together, made when first asked for. */
  private together: Float32Array | undefined

  private constructor(config: ModelConfig, lora: Lora | undefined, base?: ParameterSet) {
    const specs = lora ? loraSpecs(config, lora) : parameterSpecs(config)
    const [flat, ...beside] = kernelArrays(4, sizeOf(specs))
    this.config = config
    this.lora = lora
    this.trained = new ParameterSet(specs, flat)
    this.beside = beside
    this.base = lora ? (base ?? new ParameterSet(parameterSpecs(config))) : this.trained
  }

  /** Random weights from a seed. */
  static fresh(config: ModelConfig, seed: number): ModelWeights {
    const weights = new ModelWeights(config, undefined)
    initialise(weights.base, config, seed)
    return weights
  }

  /** The weights of a model folder; with `lora` they stand still, and a new adapter is beside them. @throws UserError */
  static open(folder: string, lora?: Lora): ModelWeights {
    const weights = new ModelWeights(readModelConfig(folder), lora)
    weights.assignBase(folder)
    if (lora) {
      weights.baseHash = createHash('sha256').update(weights.base.flat).digest('hex')
      initialiseLora(weights.trained)
    }
    return weights
  }

  /** Weights of their own with the present values; where there is an adapter, the base is shared. */
  copy(): ModelWeights {
    const copy = new ModelWeights(this.config, this.lora, this.lora ? this.base : undefined)
    copy.trained.flat.set(this.trained.flat)
    copy.source = this.source
    copy.baseHash = this.baseHash
    return copy
  }

  /** What the model computes with, flat in the order of `parameterSpecs`: after training, ask again. */
  flat(): Float32Array {
    const { lora } = this
    if (!lora) return this.base.flat
    this.together ??= new Float32Array(this.base.flat.length)
    this.together.set(this.base.flat)
    for (const { name } of loraWeights(this.config, lora)) {
      const at = this.base.view(name)
      const start = (at.byteOffset - this.base.flat.byteOffset) / at.BYTES_PER_ELEMENT
      const target = this.together.subarray(start, start + at.length)
      const { a, b } = loraNames(name)
      addProduct(target, this.trained.view(a), this.trained.view(b), lora.rank, loraScale(lora))
    }
    return this.together
  }

  /** Take over the weights of a folder. @throws UserError, everything as it was, if it is damaged or of another model. */
  assign(folder: string): void {
    if (!this.lora) this.assignBase(folder)
    else if (isAdapterFolder(folder)) this.assignAdapter(folder)
    else if (folder === this.source) initialiseLora(this.trained)
    else {
      throw new UserError(
        `${folder} is a whole model, and this is the training of an adapter beside ${this.source}: begin a run with model.path ${folder}`,
      )
    }
  }

  private assignBase(folder: string): void {
    const weights = openModelWeights(folder)
    try {
      this.base.assign(weights)
    } finally {
      weights.close()
    }
    this.source = folder
  }

  private assignAdapter(folder: string): void {
    const { lora, baseHash, base, weights } = openAdapter(folder)
    try {
      // Who did not note a hash (PEFT, servers) noted a folder.
      const own = baseHash === '' ? resolve(base) === resolve(this.source ?? '') : baseHash === this.baseHash
      if (!own) {
        throw new UserError(`${folder} is an adapter of ${base}, this one is trained beside ${this.source}`)
      }
      const [theirs, ours] = [lora, this.lora].map((one) => `${one?.rank}, ${one?.alpha}, ${one?.targets.join('+')}`)
      if (theirs !== ours) {
        throw new UserError(
          `${folder}/${ADAPTER_CONFIG} is of another kind (rank, alpha, targets): ${theirs}, not ${ours}`,
        )
      }
      this.trained.assign(weights)
    } finally {
      weights.close()
    }
  }

  /** Write what was trained into an existing folder, with all that makes it one that can be opened as a model. */
  write(folder: string): void {
    const companions = this.source ? readCompanions(this.source) : new Map<string, string>()
    const { lora, source: base = '', baseHash } = this
    if (!lora) {
      writeModelFiles(folder, this.config, this.base.tensors(), companions)
      return
    }
    writeDescription(folder, this.config, companions)
    writeAdapterFiles(folder, { lora, base, baseHash }, this.trained.tensors())
  }
}
