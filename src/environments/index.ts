export * from './alfworld/index.ts'
export * from './environment.ts'
export * from './held-out.ts'
export * from './schema.ts'
