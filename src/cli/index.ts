export * from './doctor.ts'
export * from './progress.ts'
export * from './table.ts'
