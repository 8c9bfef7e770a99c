export * from './agent.ts'
export * from './alfworld-transcript.ts'
export * from './alfworld-window.ts'
export * from './answers.ts'
