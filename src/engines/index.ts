export * from './engine.ts'
export * from './local/index.ts'
