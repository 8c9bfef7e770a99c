export { type IfevalEntry, readIfeval } from './dataset.ts'
export { checkInstructions, type Instructions, instructionKinds, type Strictness } from './instructions.ts'
export { type IfevalScores, type IfevalVerdicts, ifevalScores } from './scores.ts'
