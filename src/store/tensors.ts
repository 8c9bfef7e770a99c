/** A named tensor in a file: its shape, and how its values are stored there. */
export interface TensorInfo {
  /** Outermost dimension first. */
  shape: readonly number[]
  /** Storage format as the file calls it, e.g. `BF16` or `Q4_K`. */
  dtype: string
  /** What its values take in the file. */
  bytes: number
}

/** Tensors in files, read one at a time as float32: a model need not be in memory twice. */
export interface TensorSource {
  /** The file or folder, for messages. */
  readonly path: string
  readonly tensors: ReadonlyMap<string, TensorInfo>
  /** Values of a tensor that is there, row by row. @throws UserError if they cannot be read. */
  read(name: string): Float32Array
  /** Closes the files; `read` must not be called any more. */
  close(): void
}

/** Number of values in a tensor of this shape. */
export function elements(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1)
}
