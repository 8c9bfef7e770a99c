export * from './engine.ts'
export * from './local/index.ts'
export * from './meter.ts'
export * from './tinker/index.ts'
