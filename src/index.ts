/** Public API: `import { … } from 'rwml'`. */
export * from './agents/index.ts'
export * from './core/index.ts'
export * from './embedders/index.ts'
export * from './engines/index.ts'
export * from './environments/index.ts'
export {
  answerSequence,
  baselinePredictors,
  type EvaluationResult,
  policyResult,
  predict,
  predictAndScore,
  predictionPrompt,
  worldModelResult,
} from './evaluation/index.ts'
export * from './learning/index.ts'
export * from './methods/index.ts'
export { buildReport, loadReportInput } from './reports/index.ts'
export * from './rewards/index.ts'
export * from './rollouts/index.ts'
export {
  type Config,
  collectStage,
  evaluateStage,
  filterStage,
  ours,
  type Preset,
  paper,
  policyStage,
  resolveConfig,
  rewardStage,
  type Stage,
  type StageContext,
  worldModelSftStage,
  worldModelStage,
} from './stages/index.ts'
export { RunFolder } from './store/index.ts'
export * from './tokens/index.ts'
