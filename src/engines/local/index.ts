export * from './config.ts'
export { type LocalEngine, openLocalEngine } from './engine.ts'
export type { EngineOptions, ModelSource } from './protocol.ts'
export { trainingMemory } from './training/memory.ts'
