export * from './config.ts'
export { readModelConfig, readModelWeights } from './model-folder.ts'
export { ParameterSet } from './parameters.ts'
export { TrainerCore, type TrainerOptions } from './training/trainer-core.ts'
