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

/** Tensors of which a part can be read: what goes through a large model piece by piece needs no tensor whole. */
export interface RowSource extends TensorSource {
  /**
   * Fills `target` with whole rows of a tensor that is there, from row `first` on. A row is as long as the last dimension; of a
   * vector each value is one. @throws UserError if they cannot be read.
   */
  readRows(name: string, first: number, target: Float32Array): void
}

/** Values in a row of a tensor of this shape. */
export function rowWidth(shape: readonly number[]): number {
  return shape.length > 1 ? shape[shape.length - 1] : 1
}

/** Number of values in a tensor of this shape. */
export function elements(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1)
}
