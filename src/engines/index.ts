export * from './engine.ts'
export * from './meter.ts'
