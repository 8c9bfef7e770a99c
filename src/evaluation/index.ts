export * from './policy.ts'
export * from './predictions.ts'
export * from './result.ts'
export * from './world-model.ts'
