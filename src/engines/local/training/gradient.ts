import { inBlocks } from '../kernel/index.ts'
import type { ParameterSet } from '../parameters.ts'

/** A whole parameter's gradient, as one pass gives it. */
export interface DenseGradient {
  parameter: string
  values: Float32Array
}

/** Rows of which row i is to be added to row `numbers[i]` of a parameter's gradient; numbers may repeat. */
export interface RowsGradient extends DenseGradient {
  numbers: Int32Array
}

/** The gradient of what is trained: adds up over passes until a step takes it. */
export class Gradient {
  private readonly sum: ParameterSet
  /** Nothing has been added since it was cleared; what the arrays hold is of no account. */
  private empty = true

  constructor(sum: ParameterSet) {
    this.sum = sum
  }

  /** Everything added since it was cleared. */
  parameters(): ParameterSet {
    if (this.empty) {
      this.sum.flat.fill(0)
      this.empty = false
    }
    return this.sum
  }

  clear(): void {
    this.empty = true
  }

  /** Where the first pass may leave a parameter's whole gradient, so that it need not be copied; later ones may not. */
  place(parameter: string): Float32Array | undefined {
    return this.empty ? this.sum.view(parameter) : undefined
  }

  /**
   * Adds what one pass gives. The first one is written over what was there, unless it was left there to begin with: that is
   * cheaper than clearing and adding.
   */
  add(dense: readonly DenseGradient[], byRow: readonly RowsGradient[]): void {
    if (this.empty) {
      const given = new Set(dense.map(({ parameter }) => parameter))
      for (const [name, view] of this.sum.entries()) if (!given.has(name)) view.fill(0)
      for (const { parameter, values } of dense) {
        const place = this.sum.view(parameter)
        if (values !== place) place.set(values)
      }
      this.empty = false
    } else {
      for (const { parameter, values } of dense) addInto(this.sum.view(parameter), values)
    }
    for (const { parameter, values, numbers } of byRow) addRowsInto(this.sum.view(parameter), numbers, values)
  }
}

function addInto(target: Float32Array, source: Float32Array): void {
  inBlocks([target, source], { written: 1, padding: 0 }, (kernel, count, [to, from]) => kernel.add(count, to, from))
}

function addRowsInto(target: Float32Array, numbers: Int32Array, rows: Float32Array): void {
  const width = rows.length / numbers.length
  for (let i = 0; i < numbers.length; i++) {
    const to = numbers[i] * width
    const from = i * width
    for (let j = 0; j < width; j++) target[to + j] += rows[from + j]
  }
}
