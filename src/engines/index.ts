export * from './engine.ts'
export * from './flops.ts'
export * from './local/index.ts'
export * from './meter.ts'
