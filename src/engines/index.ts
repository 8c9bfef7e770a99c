export * from './engine.ts'
export * from './local/index.ts'
export * from './meter.ts'
export * from './vllm/index.ts'
