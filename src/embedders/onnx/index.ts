export { isEncoderFolder } from './encoder-folder.ts'
export * from './onnx-embedder.ts'
