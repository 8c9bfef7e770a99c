export { BLOCK, inBlocks, kernelArrays } from './kernel.ts'
