/** What a stage takes, from what was measured: never from a guess at the machine's speed. */

/** What a stage is going to do. */
export interface PlannedStage {
  stage: string
  title: string
  /** Optimiser steps. */
  steps: number
  sampled: number
  trained: number
  /** Null where a speed that it needs was not measured. */
  seconds: number | null
  /** Where the figures come from. */
  basis: string
}

/** What a stage has done so far. */
export interface StageDone {
  seconds: number
  tokensSampled: number
  tokensTrained: number
  finished: boolean
  /** Optimiser steps logged. */
  steps: number
}

export interface StageCost {
  stage: string
  title: string
  /** Null: not measured. */
  seconds: number | null
  sampled: number
  trained: number
  /** `measured`: the stage ran; `in proportion`: from the steps it did; `from speeds`: from tokens and measured speeds. */
  how: 'measured' | 'in proportion' | 'from speeds' | 'not measured'
  note: string
}

/** From the stage itself where it ran or began (the filter samples after its steps, so these do not tell how far it is). */
export function stageCost(plan: PlannedStage, done: StageDone | null): StageCost {
  const { stage, title, seconds, sampled, trained, basis } = plan
  if (done?.finished) {
    const { seconds, tokensSampled: sampled, tokensTrained: trained } = done
    return { stage, title, seconds, sampled, trained, how: 'measured', note: 'this run' }
  }
  if (done && done.steps > 0 && plan.steps > 0 && stage !== 'filter') {
    const scale = plan.steps / done.steps
    return {
      stage,
      title,
      seconds: done.seconds * scale,
      sampled: Math.round(done.tokensSampled * scale),
      trained: Math.round(done.tokensTrained * scale),
      how: 'in proportion',
      note: `${done.steps} of ${plan.steps} steps were measured`,
    }
  }
  return {
    stage,
    title,
    seconds,
    sampled: Math.round(sampled),
    trained: Math.round(trained),
    how: seconds === null ? 'not measured' : 'from speeds',
    note: basis,
  }
}
