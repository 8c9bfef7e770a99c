import { describe, expect, it } from 'vitest'
import { Random } from '../../../core/index.ts'
import { capacityFor, KvArena } from './arena.ts'

const shape = { layers: 2, heads: 4, keyValueHeads: 2, headSize: 3, packedHeads: 8 }

/** What the arena holds for a slot, as the rows that were written. */
function stored(arena: KvArena, slot: number): number[][] {
  return Array.from({ length: arena.lengths[slot] }, (_, t) =>
    [0, 1].flatMap((layer) =>
      ([0, 1] as const).flatMap((kind) => {
        const view = arena.view(layer, kind, slot, 1)
        return [0, 1].flatMap((head) => {
          const at = (head * arena.capacity + t) * 3
          return Array.from(view.subarray(at, at + 3))
        })
      }),
    ),
  )
}

describe('KvArena', () => {
  it('keeps the rows of every slot through writes, copies, swaps and growth', () => {
    const random = new Random('arena')
    const arena = new KvArena(shape)
    const expected: number[][][] = []
    for (let step = 0; step < 400; step++) {
      const choice = random.integer(0, 9)
      if ((choice === 0 && expected.length < 6) || expected.length < 3) {
        arena.reserve(arena.slots + 1, random.integer(1, 20))
        expected.push([])
      }
      const a = random.integer(0, expected.length - 1)
      const b = random.integer(0, expected.length - 1)
      if (choice === 1 && a !== b) {
        arena.swap(a, b)
        ;[expected[a], expected[b]] = [expected[b], expected[a]]
      } else if (choice === 2 && a !== b) {
        const length = random.integer(0, expected[a].length)
        arena.copy(a, b, length)
        expected[b] = expected[a].slice(0, length)
      } else if (choice === 3) {
        const length = random.integer(Math.floor(expected[a].length / 2), expected[a].length)
        arena.setLength(a, length)
        expected[a].length = length
      } else {
        // A run over slots with `length` padded rows, of which `count` are written to slot a as entry 1.
        const length = random.integer(1, 4)
        const count = random.integer(1, length)
        arena.reserve(0, expected[a].length + count)
        const rows = Array.from({ length: count }, (): number[] => [])
        for (let layer = 0; layer < 2; layer++) {
          const output = Float32Array.from({ length: 2 * 8 * length * 3 }, () => random.integer(1, 1e6))
          arena.write(layer, a, output, 1, length, count)
          for (let t = 0; t < count; t++) {
            for (let head = 4; head < 8; head++) {
              const at = ((8 + head) * length + t) * 3
              rows[t].push(...output.subarray(at, at + 3))
            }
          }
        }
        arena.setLength(a, expected[a].length + count)
        expected[a] = [...expected[a], ...rows]
      }
      expected.forEach((rows, slot) => {
        expect(arena.lengths[slot]).toBe(rows.length)
        expect(stored(arena, slot)).toEqual(rows)
        const mask = Array.from(arena.maskView(slot, 1), (value) => value === 0)
        expect(mask).toEqual(Array.from({ length: arena.capacity }, (_, t) => t < rows.length))
      })
    }
    expect(arena.capacity).toBeGreaterThan(32)
  })

  it('grows in steps', () => {
    expect([1, 32, 33, 256, 257, 1025].map(capacityFor)).toEqual([32, 32, 64, 256, 320, 1280])
  })
})
