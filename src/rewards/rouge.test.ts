import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rougeF, rougeL, rougeN, rougeReward, rougeWords, roundToFifth } from './rouge.ts'
import { porterStem } from './stemmer.ts'

const drawer = [
  'you open the Drawer 3, and in it you see a mug 1',
  "You open the drawer 3. It's open; in it, you see a mug-1 and nothing else",
]
const dogs = ['a dog runs and jumps happily', 'The running dogs were happily jumping']
const json = ['{"id":"a1","items":[2,1],"n":2}', '{"id": "A1", "items": [1, 2]}']

/** [prediction, truth, ROUGE-1, ROUGE-2, ROUGE-L], F-measures by the Python package rouge-score 0.1.2. */
const REFERENCE: [string, string, number, number, number][] = [
  [drawer[0], drawer[1], 0.8387096774, 0.6896551724, 0.7741935484],
  ['d c b a', 'a b c d', 1, 0, 0.25],
  ['a b b', 'a a a b', 0.5714285714, 0.4, 0.5714285714],
  ['y', 'x', 0, 0, 0],
  ['a', '', 0, 0, 0],
  [dogs[0], dogs[1], 0.1666666667, 0, 0.1666666667],
  [json[0], json[1], 0.8333333333, 0.4, 0.8333333333],
]

describe('ROUGE', () => {
  it.each(REFERENCE)('agrees with the reference on %j and %j', (predicted, actual, one, two, l) => {
    expect(rougeF('rouge1', predicted, actual)).toBeCloseTo(one, 9)
    expect(rougeF('rouge2', predicted, actual)).toBeCloseTo(two, 9)
    expect(rougeF('rougeL', predicted, actual)).toBeCloseTo(l, 9)
  })

  it('agrees with the reference on precision, recall and stems', () => {
    const [predicted, actual] = drawer.map((text) => rougeWords(text))
    expect(rougeL(predicted, actual).precision).toBeCloseTo(0.923077, 6)
    expect(rougeL(predicted, actual).recall).toBeCloseTo(0.666667, 6)
    expect(rougeF('rouge1', dogs[0], dogs[1], { stem: true })).toBeCloseTo(0.6666666667, 9)
    expect(rougeF('rougeL', dogs[0], dogs[1], { stem: true })).toBeCloseTo(0.3333333333, 9)
  })

  it('splits words at anything but ASCII letters and digits', () => {
    expect(rougeWords("It's a Mug-1_x, é!")).toEqual(['it', 's', 'a', 'mug', '1', 'x'])
  })

  it('lies in [0, 1], is 1 for the same words, and the same both ways', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 })
    fc.assert(
      fc.property(words, words, (a, b) => {
        for (const score of [rougeN(1, a, b), rougeN(2, a, b), rougeL(a, b)]) {
          expect(score.f).toBeGreaterThanOrEqual(0)
          expect(score.f).toBeLessThanOrEqual(1)
        }
        expect(rougeL(b, a).f).toBeCloseTo(rougeL(a, b).f, 12)
        expect(rougeL(a, b).f).toBeLessThanOrEqual(rougeN(1, a, b).f + 1e-12)
        if (a.length > 0) expect(rougeL(a, a).f).toBe(1)
      }),
    )
  })
})

describe('ROUGE-L', () => {
  /** The table of the textbook. */
  function common(a: readonly string[], b: readonly string[]): number {
    let previous = new Array<number>(b.length + 1).fill(0)
    for (const word of a) {
      const row = [0]
      for (let j = 0; j < b.length; j++) row.push(word === b[j] ? previous[j] + 1 : Math.max(previous[j + 1], row[j]))
      previous = row
    }
    return previous[b.length]
  }

  it('counts what the table counts, beyond 32 words too, of few words and of many', () => {
    for (const most of [1, 3, 12, 60, 400]) {
      const words = fc.array(
        fc.integer({ min: 0, max: most }).map((n) => `w${n}`),
        { maxLength: 150, size: 'max' },
      )
      fc.assert(
        fc.property(words, words, (a, b) => {
          expect(rougeL(a, b).precision * Math.max(a.length, 1)).toBeCloseTo(common(a, b), 9)
        }),
      )
    }
  })

  it('takes no minutes for long texts', () => {
    const words = Array.from({ length: 60_000 }, (_, at) => `w${at % 997}`)
    expect(rougeL(words, words.toReversed()).f).toBeGreaterThan(0)
    expect(rougeL(words, words).f).toBe(1)
  })
})

describe('rougeReward', () => {
  it('rounds to the nearest fifth', async () => {
    expect([0, 0.09, 0.1, 0.29, 0.31, 0.5, 0.89, 0.91, 1].map(roundToFifth)).toEqual([
      0, 0, 0.2, 0.2, 0.4, 0.6, 0.8, 1, 1,
    ])
    const [score, missing, same] = await rougeReward().score([
      { predicted: json[0], actual: json[1], from: 'tool' },
      { predicted: null, actual: 'x', from: 'tool' },
      { predicted: 'ééé ', actual: 'ééé', from: 'tool' },
    ])
    expect(score.reward).toBe(0.8)
    expect(score.distance).toBeCloseTo(1 / 6, 9)
    expect(missing).toEqual({ reward: 0, distance: null })
    expect(same).toEqual({ reward: 1, distance: 0 })
  })
})

describe('porterStem', () => {
  // Computed with NLTK 3.10.4's PorterStemmer in its ORIGINAL_ALGORITHM mode.
  it('agrees with a reference', () => {
    const expected: Record<string, string> = {
      caresses: 'caress',
      ponies: 'poni',
      cats: 'cat',
      feed: 'feed',
      agreed: 'agre',
      plastered: 'plaster',
      sing: 'sing',
      conflated: 'conflat',
      hopping: 'hop',
      falling: 'fall',
      filing: 'file',
      happy: 'happi',
      sky: 'sky',
      relational: 'relat',
      rational: 'ration',
      generalization: 'gener',
      triplicate: 'triplic',
      hopefulness: 'hope',
      adjustment: 'adjust',
      adoption: 'adopt',
      probate: 'probat',
      rate: 'rate',
      controll: 'control',
      roll: 'roll',
      is: 'is',
    }
    for (const [word, stem] of Object.entries(expected)) expect(porterStem(word), word).toBe(stem)
  })
})
