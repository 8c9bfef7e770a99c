export * from './alfworld/index.ts'
export * from './environment.ts'
