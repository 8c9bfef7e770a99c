export { inBlocks, kernelArrays } from './kernel.ts'
