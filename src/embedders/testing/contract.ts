import { beforeAll, describe, expect, it } from 'vitest'
import { cosineDistance, type Embedder } from '../embedder.ts'

/** What every embedder must do; call it with a way to make one. */
export function embedderContract(name: string, make: () => Promise<Embedder>): void {
  describe(`${name} keeps the embedder contract`, () => {
    let embedder: Embedder
    const texts = ['The fridge 1 is closed.', 'You see a mug 1 and a mug 2.', 'Nothing happens.']
    beforeAll(async () => {
      embedder = await make()
    })

    it('gives one vector a text, of one length, with finite numbers', async () => {
      const vectors = await embedder.embed(texts)
      expect(vectors).toHaveLength(3)
      expect(new Set(vectors.map((vector) => vector.length)).size).toBe(1)
      expect(vectors.every((vector) => vector.every(Number.isFinite))).toBe(true)
      expect(await embedder.embed([])).toEqual([])
    })

    it('gives a text the same vector alone, in company and again', async () => {
      const [together] = await embedder.embed(texts)
      const [alone] = await embedder.embed([texts[0]])
      const again = await embedder.embed([texts[1], texts[0], texts[0]])
      for (const vector of [alone, again[1], again[2]]) expect(cosineDistance(together, vector)).toBeLessThan(1e-6)
    })

    it('tells different texts apart', async () => {
      const [a, b, c] = await embedder.embed(texts)
      for (const [x, y] of [
        [a, b],
        [a, c],
        [b, c],
      ])
        expect(cosineDistance(x, y)).toBeGreaterThan(0.01)
    })
  })
}
