export * from './atomic.ts'
export * from './safetensors.ts'
