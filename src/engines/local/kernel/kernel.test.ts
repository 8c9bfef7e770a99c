import { describe, expect, it } from 'vitest'
import { assembled } from '../testing/kernel.ts'
import { BLOCK, inBlocks, kernelArrays } from './kernel.ts'
import { KERNEL_WASM } from './kernel-wasm.ts'

const sizes = [0, 1, 15, 16, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 13]
const add = (target: Float32Array, source: Float32Array) =>
  inBlocks([target, source], { written: 1, padding: 0 }, (kernel, count, [to, from]) => kernel.add(count, to, from))

describe('the kernel', () => {
  it('comes from its text', async () => {
    expect(KERNEL_WASM).toBe(await assembled())
  })

  it('adds arrays wherever they lie, and touches nothing beside them', () => {
    for (const size of sizes) {
      const [a, b, c] = kernelArrays(3, size)
      const elsewhere = Float32Array.from({ length: size }, (_, i) => i)
      for (const [target, source] of [
        [a, b],
        [a, elsewhere],
        [elsewhere, b],
        [elsewhere.slice(), elsewhere.slice()],
      ]) {
        target.fill(3)
        source.forEach((_, i) => {
          source[i] = i
        })
        add(target, source)
        expect(target.every((value, i) => value === i + 3)).toBe(true)
        expect(source.every((value, i) => value === i)).toBe(true)
      }
      expect(c.every((value) => value === 0)).toBe(true)
    }
  })

  it('works on parts of arrays', () => {
    const [a, b] = kernelArrays(2, 4 * BLOCK).map((array) => array.fill(1))
    add(a.subarray(5, 2 * BLOCK + 10), b.subarray(3, 2 * BLOCK + 8))
    expect(a.every((value, i) => value === (i >= 5 && i < 2 * BLOCK + 10 ? 2 : 1))).toBe(true)
  })

  it('gives arrays of zeros: in one memory where they fit', () => {
    const [a, b] = kernelArrays(2, 100)
    expect([...a, ...b]).toEqual(Array(200).fill(0))
    expect(b.buffer).toBe(a.buffer)
    const [long, other] = kernelArrays(2, 100_000, 16)
    expect([long.length, other.length]).toEqual([100_000, 100_000])
    expect(other.buffer).not.toBe(long.buffer)
  })
})
