import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { loadRuntime, type Runtime, UserError } from '../../core/index.ts'
import { requireProvider } from './runtime.ts'

describe('loadRuntime', () => {
  it('says how to install the runtime where it cannot be loaded', async () => {
    vi.doMock('onnxruntime-node', () => {
      throw new Error('Cannot find module onnxruntime-node\nRequire stack')
    })
    const loading = loadRuntime()
    await expect(loading).rejects.toBeInstanceOf(UserError)
    await expect(loading).rejects.toThrow(/^onnxruntime-node cannot be loaded.*ONNXRUNTIME_NODE_INSTALL=skip[^\n]*$/)
    vi.doUnmock('onnxruntime-node')
  })

  it('gives the runtime', async () => {
    expect(typeof (await loadRuntime()).InferenceSession.create).toBe('function')
  })
})

describe('requireProvider', () => {
  const listed = (...names: string[]) =>
    ({ listSupportedBackends: () => names.map((name) => ({ name, bundled: true })) }) as unknown as Runtime

  it('has nothing to say of the processor', async () => {
    await requireProvider(await loadRuntime(), 'cpu')
  })

  it('refuses a provider that the runtime does not list', async () => {
    const refused = requireProvider(listed('cpu'), 'cuda')
    await expect(refused).rejects.toBeInstanceOf(UserError)
    await expect(refused).rejects.toThrow(
      /^onnxruntime-node has no cuda provider for .* Or stay with model\.provider=cpu$/,
    )
  })

  it('refuses one whose library is missing, and says how to get it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rwml-'))
    try {
      const refused = requireProvider(listed('cpu', 'cuda'), 'cuda', folder)
      await expect(refused).rejects.toBeInstanceOf(UserError)
      await expect(refused).rejects.toThrow(
        /^libonnxruntime_providers_cuda\.so is missing; [^\n]*ONNXRUNTIME_NODE_INSTALL=true node [^\n]*install\.js/,
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('refuses one that opens no session, with the first line of the reason', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rwml-'))
    const libraries = join(folder, 'bin', 'napi-v6', process.platform, process.arch)
    const create = async (_: Uint8Array, { executionProviders }: { executionProviders: string[] }) => {
      throw new Error(`${executionProviders} failed: no driver\nand more`)
    }
    try {
      mkdirSync(libraries, { recursive: true })
      writeFileSync(join(libraries, 'libonnxruntime_providers_cuda.so'), '')
      const refused = requireProvider({ ...listed('cuda'), InferenceSession: { create } } as never, 'cuda', folder)
      await expect(refused).rejects.toBeInstanceOf(UserError)
      await expect(refused).rejects.toThrow(/^the cuda provider cannot be used: [^\n]*\(cuda failed: no driver\)/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
