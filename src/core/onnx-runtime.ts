import { UserError } from './errors.ts'

export type Runtime = typeof import('onnxruntime-node')

/**
 * ONNX Runtime, imported on first use: what needs no engine runs where its native library cannot be installed. Throws a
 * `UserError` with the remedy where the import fails.
 */
export async function loadRuntime(): Promise<Runtime> {
  try {
    const imported = await import('onnxruntime-node')
    return 'default' in imported && imported.default ? (imported.default as Runtime) : imported
  } catch (error) {
    throw new UserError(
      'onnxruntime-node cannot be loaded; its install step fails where it finds a CUDA compiler but no network: ' +
        `reinstall with ONNXRUNTIME_NODE_INSTALL=skip npm install (${(error as Error).message.split('\n')[0]})`,
    )
  }
}
