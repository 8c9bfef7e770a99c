export * from './alfworld.ts'
export * from './method.ts'
export * from './mini.ts'
export * from './open.ts'
