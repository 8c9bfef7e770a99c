export * from './play.ts'
