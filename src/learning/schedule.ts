export interface Schedule {
  /** After warm-up: stay at the peak, or fall to `floor` in a straight line or half a cosine. */
  kind: 'constant' | 'linear' | 'cosine'
  peak: number
  /** Steps that rise to the peak in a straight line; the first is already above 0. 0 = none. */
  warmupSteps: number
  /** All steps, warm-up included; needed by `linear` and `cosine`. */
  totalSteps?: number
  /** Learning rate after the last step; default 0. */
  floor?: number
}

/** Learning rate of a step, counted from 0. A pure function of the step, so that a resumed run goes on with the same one. */
export function learningRateAt(schedule: Schedule, step: number): number {
  const { kind, peak, warmupSteps, totalSteps, floor = 0 } = schedule
  if (step < warmupSteps) return (peak * (step + 1)) / warmupSteps
  if (kind === 'constant') return peak
  if (totalSteps === undefined || totalSteps <= warmupSteps) {
    throw new Error(`a ${kind} schedule needs more steps in all (${totalSteps}) than warm-up steps (${warmupSteps})`)
  }
  const progress = Math.min(1, (step - warmupSteps) / (totalSteps - warmupSteps))
  const left = kind === 'linear' ? 1 - progress : (1 + Math.cos(Math.PI * progress)) / 2
  return floor + (peak - floor) * left
}
