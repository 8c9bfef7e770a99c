export * from './agent.ts'
export * from './answers.ts'
export * from './transcript.ts'
export * from './window.ts'
