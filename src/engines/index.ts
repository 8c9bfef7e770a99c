export * from './engine.ts'
export * from './meter.ts'
export * from './local/index.ts'
