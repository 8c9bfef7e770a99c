export * from './input.ts'
export * from './load.ts'
export * from './report.ts'
