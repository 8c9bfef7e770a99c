export * from './check-environment.ts'
export * from './play.ts'
export * from './play-with.ts'
export * from './replay.ts'
