/** One line of a benchmark's table. `target` is what the value must reach, or stay under. */
export interface Row {
  name: string
  value: number
  unit: string
  target?: string
}
