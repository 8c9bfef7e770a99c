import { textReward, type WorldModelReward } from './reward.ts'

/** 1 for the same text, white space at the ends aside, else 0. Distance is 0 or 1. */
export function exactReward(): WorldModelReward {
  return textReward('exact', (predicted, actual) => {
    const same = predicted.trim() === actual.trim()
    return same ? { reward: 1, distance: 0 } : { reward: 0, distance: 1 }
  })
}
