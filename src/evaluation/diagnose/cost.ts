/** What a stage will take, from what was measured: never from a guess at the machine's speed. */

/** What a stage is going to do, in tokens. */
export interface TokenPlan {
  stage: string
  title: string
  /** Optimiser steps. */
  steps: number
  sampled: number
  trained: number
  /** Where the token counts come from. */
  basis: string
  /** Which sampling rate fits: playing episodes, or predicting next states. */
  sampling: 'play' | 'predict'
}

/** What a stage has done so far. */
export interface StageProgressRecord {
  seconds: number
  tokensSampled: number
  tokensTrained: number
  finished: boolean
  /** Optimiser steps logged. */
  steps: number
}

/** Tokens a second; null where nothing was measured. */
export interface Rates {
  play: number | null
  predict: number | null
  train: number | null
}

export interface StageCost {
  stage: string
  title: string
  /** Null: not measured. */
  seconds: number | null
  sampled: number
  trained: number
  /** `measured`: the stage ran; `in proportion`: from the steps it did; `from rates`: from tokens and rates. */
  how: 'measured' | 'in proportion' | 'from rates' | 'not measured'
  note: string
}

/** From the stage itself where it ran or began (the filter samples after its steps, so these do not tell how far it is). */
export function stageCost(plan: TokenPlan, record: StageProgressRecord | null, rates: Rates): StageCost {
  const { stage, title } = plan
  if (record?.finished) {
    const { seconds, tokensSampled: sampled, tokensTrained: trained } = record
    return { stage, title, seconds, sampled, trained, how: 'measured', note: 'this run' }
  }
  if (record && record.steps > 0 && plan.steps > 0 && stage !== 'filter') {
    const scale = plan.steps / record.steps
    return {
      stage,
      title,
      seconds: record.seconds * scale,
      sampled: Math.round(record.tokensSampled * scale),
      trained: Math.round(record.tokensTrained * scale),
      how: 'in proportion',
      note: `${record.steps} of ${plan.steps} steps were measured`,
    }
  }
  const { sampled, trained, basis } = plan
  const samplingRate = rates[plan.sampling] ?? rates.predict ?? rates.play
  const missing = [...(samplingRate ? [] : ['sampling']), ...(rates.train ? [] : ['training'])]
  if (missing.length > 0 || !samplingRate || !rates.train) {
    const note = `${missing.join(' and ')} speed; ${basis}`
    return { stage, title, seconds: null, sampled, trained, how: 'not measured', note }
  }
  const seconds = sampled / samplingRate + trained / rates.train
  return { stage, title, seconds, sampled, trained, how: 'from rates', note: basis }
}
