/** One line of a benchmark's table. `target` is the value to reach or exceed. */
export interface Row {
  name: string
  value: number
  unit: string
  target?: number
}
