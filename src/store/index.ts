export * from './atomic.ts'
