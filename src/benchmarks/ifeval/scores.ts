/** Verdicts on one prompt's instructions, both ways. */
export interface IfevalVerdicts {
  strict: readonly boolean[]
  loose: readonly boolean[]
}

/** Shares of 1: of prompts whose instructions are all followed, and of all instructions. */
export interface IfevalScores {
  promptStrict: number
  promptLoose: number
  instructionStrict: number
  instructionLoose: number
  prompts: number
  instructions: number
}

/** Nothing scored is NaN. */
export function ifevalScores(verdicts: readonly IfevalVerdicts[]): IfevalScores {
  const strict = verdicts.map((one) => one.strict)
  const loose = verdicts.map((one) => one.loose)
  return {
    promptStrict: share(strict.map((all) => all.every(Boolean))),
    promptLoose: share(loose.map((all) => all.every(Boolean))),
    instructionStrict: share(strict.flat()),
    instructionLoose: share(loose.flat()),
    prompts: verdicts.length,
    instructions: strict.flat().length,
  }
}

function share(followed: readonly boolean[]): number {
  return followed.filter(Boolean).length / followed.length
}
