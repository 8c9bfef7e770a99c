import { describe, expect, it, vi } from 'vitest'
import { UserError } from '../../core/index.ts'
import { loadRuntime } from './runtime.ts'

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
