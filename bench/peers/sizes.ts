/** What is measured at which size. The quick sizes only try that everything runs. */
export interface Sizes {
  /** Measured rounds; one more before them warms up. */
  repeats: number
  /** The same where figures are drawn and not judged. */
  drawnRepeats: number
  /** Tokens of the plain training step. */
  step: number
  prompt: number
  answer: number
  /** Answers of a group. */
  group: number
  /** Prompts of a whole GRPO step. */
  prompts: number
  /** Measured whole GRPO steps. */
  grpoRepeats: number
  /** Sequences decoded at once, and the tokens of each. */
  batch: number
  decode: number
  contexts: number[]
  groups: number[]
}

export const FULL: Sizes = {
  repeats: 5,
  drawnRepeats: 2,
  step: 512,
  prompt: 512,
  answer: 64,
  group: 8,
  prompts: 8,
  grpoRepeats: 3,
  batch: 8,
  decode: 64,
  contexts: [256, 512, 1024, 2048, 4096],
  groups: [2, 4, 8, 16, 32],
}

export const QUICK: Sizes = {
  repeats: 1,
  drawnRepeats: 1,
  step: 32,
  prompt: 32,
  answer: 4,
  group: 2,
  prompts: 1,
  grpoRepeats: 1,
  batch: 2,
  decode: 4,
  contexts: [16, 32],
  groups: [2, 4],
}
