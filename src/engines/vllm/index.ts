export * from './sampler.ts'
