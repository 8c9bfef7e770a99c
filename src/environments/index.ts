export * from './alfworld/index.ts'
export * from './environment.ts'
export * from './recorded/index.ts'
