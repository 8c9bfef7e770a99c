import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CachedEmbedder } from './cached.ts'
import { cosineDistance, type Embedder } from './embedder.ts'
import { LexicalEmbedder, lexicalWords, loadLexicalEmbedder } from './lexical.ts'
import { embedderContract } from './testing/contract.ts'
import { loadUseLite } from './use-lite.ts'

const corpus = [
  'You arrive at fridge 1. The fridge 1 is closed.',
  'You arrive at drawer 3. The drawer 3 is closed.',
  'You open the fridge 1. The fridge 1 is open. In it, you see a mug 1, and a apple 2.',
  'You open the drawer 3. The drawer 3 is open. In it, you see nothing.',
  'Nothing happens.',
]
const distance = async (embedder: Embedder, a: string, b: string) => {
  const [x, y] = await embedder.embed([a, b])
  return cosineDistance(x, y)
}

embedderContract('lexical', async () => LexicalEmbedder.fit(corpus))
embedderContract('cached lexical', async () => new CachedEmbedder(LexicalEmbedder.fit(corpus)))
embedderContract('use-lite', () => loadUseLite())

describe('cosineDistance', () => {
  it('matches hand values', () => {
    expect(cosineDistance(Float32Array.of(1, 0), Float32Array.of(0, 2))).toBe(1)
    expect(cosineDistance(Float32Array.of(1, 1), Float32Array.of(-1, -1))).toBeCloseTo(2)
    expect(cosineDistance(Float32Array.of(1, 0), Float32Array.of(1, 1))).toBeCloseTo(1 - Math.SQRT1_2)
    expect(cosineDistance(Float32Array.of(0, 0), Float32Array.of(1, 1))).toBe(1)
    expect(cosineDistance(Float32Array.of(0), Float32Array.of(0))).toBe(0)
    expect(() => cosineDistance(Float32Array.of(1), Float32Array.of(1, 2))).toThrow(/cannot be compared/)
  })
})

describe('LexicalEmbedder', () => {
  it('reads things with a number as one word', () => {
    const words = ['on', 'the', 'drawer 3', 'you', 'see', '2.5', 'mugs']
    expect(lexicalWords('On the Drawer 3, you see 2.5 mugs.')).toEqual(words)
    expect(lexicalWords('?! ')).toEqual(['?', '!'])
    expect(lexicalWords('')).toEqual([])
  })

  it('matches a value computed by hand', async () => {
    // Two texts "a" and "b c": features a, b, c, b|c, each in one of two texts: idf = ln(3/2) + 1, the same for all.
    const embedder = LexicalEmbedder.fit(['a', 'b c'])
    expect(await distance(embedder, 'b c', 'b')).toBeCloseTo(1 - 1 / Math.sqrt(3))
    expect(await distance(embedder, 'a', 'b')).toBe(1)
  })

  it('puts another number, and words never seen, at a distance', async () => {
    const embedder = LexicalEmbedder.fit(corpus)
    const text = 'You see a mug 1.'
    expect(await distance(embedder, text, 'You see a mug 2.')).toBeGreaterThan(0.1)
    expect(await distance(embedder, text, 'You see a zebra 1.')).toBeGreaterThan(0.1)
    expect(await distance(embedder, '?!', '...')).toBeGreaterThan(0.1)
    expect(await distance(embedder, text, text)).toBeLessThan(1e-6)
  })

  it('does not depend on the order of the fitted texts, and survives a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rwml-embedder-'))
    const path = join(folder, 'embedder.json')
    const embedder = LexicalEmbedder.fit(corpus)
    expect(LexicalEmbedder.fit([...corpus].reverse()).toJSON()).toEqual(embedder.toJSON())
    embedder.save(path)
    expect(await loadLexicalEmbedder(path).embed(corpus)).toEqual(await embedder.embed(corpus))
    writeFileSync(path, '{"kind":"other"}')
    expect(() => loadLexicalEmbedder(path)).toThrow(/embedder.json does not hold what it should: kind/)
    rmSync(folder, { recursive: true })
  })

  it('has distances in [0, 1], 0 to itself, the same both ways', async () => {
    const embedder = LexicalEmbedder.fit(corpus)
    const text = fc
      .array(fc.constantFrom('mug 1', 'mug 2', 'you', 'see', 'xyz', ', ', '!'))
      .map((words) => words.join(' '))
    await fc.assert(
      fc.asyncProperty(text, text, async (a, b) => {
        const there = await distance(embedder, a, b)
        expect(there).toBeGreaterThanOrEqual(0)
        expect(there).toBeLessThanOrEqual(1)
        expect(await distance(embedder, b, a)).toBeCloseTo(there, 10)
        expect(await distance(embedder, a, a)).toBeLessThan(1e-6)
      }),
    )
  })
})

describe('CachedEmbedder', () => {
  function counting(): { embedder: Embedder; asked: string[] } {
    const asked: string[] = []
    const embed = async (texts: readonly string[]) => {
      asked.push(...texts)
      return texts.map((text) => Float32Array.of(text.length, 1))
    }
    return { embedder: { name: 'counting', semantic: false, embed }, asked }
  }

  it('asks for each text once', async () => {
    const { embedder, asked } = counting()
    const cached = new CachedEmbedder(embedder)
    await cached.embed(['a', 'bb', 'a'])
    expect(await cached.embed(['bb', 'ccc'])).toEqual([Float32Array.of(2, 1), Float32Array.of(3, 1)])
    expect(asked).toEqual(['a', 'bb', 'ccc'])
    expect([cached.hits, cached.misses]).toEqual([2, 3])
  })

  it('forgets what was unused for longest', async () => {
    const { embedder, asked } = counting()
    const cached = new CachedEmbedder(embedder, 16)
    await cached.embed(['a', 'bb'])
    await cached.embed(['a'])
    await cached.embed(['ccc'])
    await cached.embed(['a', 'bb'])
    expect(asked).toEqual(['a', 'bb', 'ccc', 'bb'])
  })
})

describe('use-lite', () => {
  it('advises when its packages are absent', async () => {
    const absent = () =>
      Promise.reject(Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' }))
    await expect(loadUseLite(absent)).rejects.toThrow(/npm install @energetic-ai\/core/)
    await expect(loadUseLite(() => Promise.reject(new Error('corrupt')))).rejects.toThrow('corrupt')
  })
})
