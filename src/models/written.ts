import { UserError } from '../core/index.ts'
import { parameterSpecs, requireFinite, writeModelFiles } from '../engines/index.ts'
import { FLOAT_TYPES, type FloatType, type WritableTensor, writeFolderAtomic } from '../store/index.ts'
import { type OpenedModel, usedTensors } from './opened.ts'

/** Largest number that a float16 holds. */
const LARGEST_HALF = 65504

/** The type that keeps every value as it is: the one all tensors are stored in, or F32. */
export function losslessType(model: OpenedModel): FloatType {
  const [first, ...others] = new Set(usedTensors(model).map(({ dtype }) => dtype))
  return others.length === 0 && first in FLOAT_TYPES ? (first as FloatType) : 'F32'
}

/**
 * Write a model as a Hugging Face folder, which appears whole or not at all. Tensors pass through one by one.
 * @throws UserError where a weight is not finite, or does not fit the type.
 */
export async function writeModel(model: OpenedModel, out: string, dtype: FloatType): Promise<void> {
  const tensors = new Map(
    parameterSpecs(model.config).map(({ name, shape }): [string, WritableTensor] => [
      name,
      {
        shape,
        get data() {
          const values = model.weights.read(name)
          requireFinite(name, values, model.weights.path)
          if (dtype === 'F16') requireHalves(name, values, model.weights.path)
          return values
        },
      },
    ]),
  )
  await writeFolderAtomic(out, (folder) => writeModelFiles(folder, model.config, tensors, model.companions, dtype))
}

function requireHalves(name: string, values: Float32Array, path: string): void {
  const large = values.find((value) => Math.abs(value) > LARGEST_HALF)
  if (large === undefined) return
  throw new UserError(`${path}: ${name} holds ${large}, which no float16 is: write bf16 or f32`)
}
