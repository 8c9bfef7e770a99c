/**
 * Arithmetic on long arrays in WebAssembly, four values at a time. It reaches only its own memory: arrays made by `kernelArrays`
 * lie in it and are worked on where they are, parts of others are copied in and out, block by block, with the same results.
 */
import { KERNEL_WASM } from './kernel-wasm.ts'

/** Values of an array that are worked on at once: few enough for copies of four arrays to stay in the processor's cache. */
export const BLOCK = 32_768

/** The kernel's loops take as many values at a time. */
const LANES = 16

/** Arrays of one call. */
const MOST_ARRAYS = 4

const BLOCK_BYTES = BLOCK * Float32Array.BYTES_PER_ELEMENT
const PAGE = 65536
const MOST_PAGES = 65536

export interface Kernel {
  step(count: number, weights: number, first: number, second: number, gradient: number, ...settings: number[]): number
  squares(count: number, at: number): number
  add(count: number, target: number, source: number): void
  /** Five counts, two sums of squares, the largest: see `kernel.wat`. */
  change(count: number, before: number, after: number, ...thresholds: number[]): number[]
}

interface Instance {
  kernel: Kernel
  /** Its memory, which begins with rooms for the blocks of arrays that lie elsewhere. */
  buffer: ArrayBuffer
  rooms: Float32Array[]
}

/** What is used of WebAssembly, whose types belong to browsers. */
interface Assembly {
  Module: new (bytes: Uint8Array) => object
  Memory: new (size: { initial: number; maximum: number }) => { buffer: ArrayBuffer }
  Instance: new (module: object, imports: { kernel: { memory: object } }) => { exports: Kernel }
}

const { Module, Memory, Instance } = (globalThis as unknown as { WebAssembly: Assembly }).WebAssembly

let compiled: object | undefined
const instances = new WeakMap<ArrayBufferLike, Instance>()

function instantiate(pages: number): Instance {
  compiled ??= new Module(Buffer.from(KERNEL_WASM, 'base64'))
  const memory = new Memory({ initial: pages, maximum: pages })
  const { exports: kernel } = new Instance(compiled, { kernel: { memory } })
  const { buffer } = memory
  const rooms = Array.from({ length: MOST_ARRAYS }, (_, i) => new Float32Array(buffer, i * BLOCK_BYTES, BLOCK))
  const instance = { kernel, buffer, rooms }
  instances.set(buffer, instance)
  return instance
}

let own: Instance | undefined

/** For arrays that lie elsewhere. */
function ownInstance(): Instance {
  own ??= instantiate((MOST_ARRAYS * BLOCK_BYTES) / PAGE)
  return own
}

/** A memory of the kernel; none where addresses are scarce, because each takes several times its size of them. */
function roomFor(pages: number): ArrayBuffer | undefined {
  try {
    return instantiate(pages).buffer
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * Arrays of zeros of one length that are used together, in one memory of the kernel; where they are too long for it (together
 * 4 GiB), or none can be had, arrays as any other. They are not touched, and take no memory, before they are written.
 */
export function kernelArrays(count: number, length: number, mostPages = MOST_PAGES): Float32Array[] {
  const start = MOST_ARRAYS * BLOCK_BYTES
  // Whole pages of the processor and a little: at the same place of their pages, reads of one would wait for writes of another.
  const stride = Math.ceil((length * Float32Array.BYTES_PER_ELEMENT) / 4096) * 4096 + 1088
  const pages = Math.ceil((start + count * stride) / PAGE)
  const buffer = pages <= mostPages ? roomFor(pages) : undefined
  if (!buffer) return Array.from({ length: count }, () => new Float32Array(length))
  return Array.from({ length: count }, (_, i) => new Float32Array(buffer, start + i * stride, length))
}

/**
 * Calls `work` for block after block of arrays of one length, with the number of values and the address of each array's block.
 * Of arrays that lie elsewhere, the first `written` are copied back. The last block is filled up with `padding`.
 */
export function inBlocks(
  arrays: readonly Float32Array[],
  { written, padding }: { written: number; padding: number },
  work: (kernel: Kernel, count: number, addresses: number[]) => void,
): void {
  const { kernel, buffer, rooms } = instances.get(arrays[0].buffer) ?? ownInstance()
  const { length } = arrays[0]
  for (let at = 0; at < length; at += BLOCK) {
    const end = Math.min(length, at + BLOCK)
    const count = Math.ceil((end - at) / LANES) * LANES
    const stays = arrays.map((array) => array.buffer === buffer && count === end - at)
    const addresses = arrays.map((array, i) => {
      if (stays[i]) return array.byteOffset + at * Float32Array.BYTES_PER_ELEMENT
      rooms[i].set(array.subarray(at, end))
      rooms[i].fill(padding, end - at, count)
      return rooms[i].byteOffset
    })
    work(kernel, count, addresses)
    for (let i = 0; i < written; i++) if (!stays[i]) arrays[i].set(rooms[i].subarray(0, end - at), at)
  }
}
