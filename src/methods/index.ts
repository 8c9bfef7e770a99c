export * from './alfworld.ts'
export * from './method.ts'
