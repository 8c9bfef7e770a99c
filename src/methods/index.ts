export * from './alfworld.ts'
