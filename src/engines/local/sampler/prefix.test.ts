import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commonPrefix, planReuse } from './prefix.ts'

const sequence = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 12 })

describe('planReuse', () => {
  it('finds the longest common beginning with held sequences', () => {
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 8 }), fc.array(sequence, { maxLength: 8 }), (prompts, held) => {
        planReuse(prompts, held).reuse.forEach(({ held: index, heldLength }, i) => {
          expect(heldLength).toBe(Math.max(0, ...held.map((tokens) => commonPrefix(prompts[i], tokens))))
          if (index >= 0) expect(commonPrefix(prompts[i], held[index])).toBe(heldLength)
        })
      }),
    )
  })

  it('lets a prompt start from one that comes before it and saves enough', () => {
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 10 }), fc.array(sequence, { maxLength: 3 }), (prompts, held) => {
        const { order, reuse } = planReuse(prompts, held)
        expect(order.toSorted((a, b) => a - b)).toEqual(prompts.map((_, i) => i))
        order.forEach((index, place) => {
          const { prompt, promptLength, heldLength } = reuse[index]
          if (prompt >= 0) {
            expect(order.indexOf(prompt)).toBeLessThan(place)
            expect(commonPrefix(prompts[index], prompts[prompt])).toBe(promptLength)
            expect(promptLength).toBeGreaterThanOrEqual(heldLength + 4)
          }
        })
        // Of prompts that begin alike, at most one has nothing to start from.
        const alike = prompts.filter((tokens) => tokens.length >= 6 && tokens.slice(0, 6).every((token) => token === 0))
        const computing = prompts.filter((tokens, i) => alike.includes(tokens) && reuse[i].prompt < 0)
        if (held.length === 0) expect(computing.length).toBeLessThanOrEqual(1)
      }),
    )
  })
})
