export * from './cached.ts'
export * from './embedder.ts'
export * from './lexical.ts'
export * from './use-lite.ts'
