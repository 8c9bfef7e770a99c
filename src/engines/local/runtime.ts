import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Runtime, UserError } from '../../core/index.ts'
import { GraphBuilder } from './onnx/index.ts'

/** What ONNX Runtime computes with: the processor, or an NVIDIA card, on which nothing here has ever been run. */
export const PROVIDERS = ['cpu', 'cuda'] as const
export type Provider = (typeof PROVIDERS)[number]

/** Not in the npm package: its install step downloads it, for Linux x64 only. */
const CUDA_LIBRARY = 'libonnxruntime_providers_cuda.so'

const packageFolder = () => dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'))

/**
 * Whether sessions can be opened on a provider; `folder` is the runtime's package.
 * @throws UserError where they cannot: what is missing, and how to get it.
 */
export async function requireProvider(ort: Runtime, provider: Provider, folder = packageFolder()): Promise<void> {
  if (provider === 'cpu') return
  const here = `${process.platform} ${process.arch}`
  if (!ort.listSupportedBackends().some(({ name }) => name === provider)) {
    throw refusal(`onnxruntime-node has no ${provider} provider for ${here}; it has one for linux x64`)
  }
  // Looked for first: a runtime that does not find it complains on its own, in several lines.
  if (!existsSync(join(folder, 'bin', 'napi-v6', process.platform, process.arch, CUDA_LIBRARY))) {
    const script = join(folder, 'script', 'install.js')
    throw refusal(
      `${CUDA_LIBRARY} is missing; where api.nuget.org can be reached, ONNXRUNTIME_NODE_INSTALL=true node ${script} downloads it`,
    )
  }
  try {
    const session = await ort.InferenceSession.create(smallestGraph(), { executionProviders: [provider] })
    await session.release()
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    throw refusal(
      `the ${provider} provider cannot be used: it needs an NVIDIA driver, and in LD_LIBRARY_PATH cuDNN 9 and the CUDA that its library was built for (${reason})`,
    )
  }
}

const refusal = (reason: string) => new UserError(`${reason}. Or stay with model.provider=cpu`)

/** Opening a session is all that shows whether a provider works. */
function smallestGraph(): Uint8Array {
  const graph = new GraphBuilder('provider')
  graph.output('y', graph.input('x', 'float32', [1]), 'float32', [1])
  return graph.build()
}
