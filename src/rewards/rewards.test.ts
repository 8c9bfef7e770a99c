import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Embedder, LexicalEmbedder } from '../embedders/index.ts'
import { calibrateThreshold, chooseEmbedder, pairDistances } from './calibrate.ts'
import { embeddingReward } from './embedding.ts'
import { exactReward } from './exact.ts'
import { hybridReward } from './hybrid.ts'
import type { Prediction, WorldModelReward } from './reward.ts'
import { rougeReward } from './rouge.ts'

const predict = (predicted: string | null, actual: string, from: Prediction['from'] = 'environment'): Prediction => ({
  predicted,
  actual,
  from,
})

/** Places a text at the angle, in degrees, that it names. */
const compass: Embedder = {
  name: 'compass',
  semantic: true,
  embed: async (texts) =>
    texts.map((text) => Float32Array.of(Math.cos((+text * Math.PI) / 180), Math.sin((+text * Math.PI) / 180))),
}
const words = LexicalEmbedder.fit(['you see a mug 1', 'the drawer 3 is closed', 'nothing happens'])
const rewards: [string, WorldModelReward][] = [
  ['exact', exactReward()],
  ['rouge', rougeReward()],
  ['embedding, binary', embeddingReward(words, { mode: 'binary', threshold: 0.1 })],
  ['embedding, continuous', embeddingReward(words, { mode: 'continuous' })],
  ['hybrid', hybridReward({ environment: exactReward(), tool: rougeReward(), user: rougeReward('rouge1') })],
]

describe.each(rewards)('%s reward', (_, reward) => {
  it('gives 1 to the truth, 0 to no prediction, and less than 1 to something else', async () => {
    const truth = 'you see a mug 1'
    const scores = await reward.score([predict(truth, truth), predict(null, truth), predict('nothing happens', truth)])
    expect(scores[0].reward).toBeCloseTo(1, 6)
    expect(scores[1]).toEqual({ reward: 0, distance: null })
    expect(scores[2].reward).toBeLessThan(0.5)
    expect(scores[2].distance).toBeGreaterThan(0.5)
    expect(await reward.score([])).toEqual([])
  })

  it('scores each prediction on its own, within [0, 1]', async () => {
    const text = fc.array(fc.constantFrom('you see', 'mug 1', 'drawer 3', 'zebra', '!')).map((list) => list.join(' '))
    const from = fc.constantFrom<Prediction['from']>('environment', 'user', 'tool')
    const prediction = fc.record({ predicted: fc.option(text), actual: text, from })
    await fc.assert(
      fc.asyncProperty(fc.array(prediction, { maxLength: 5 }), async (predictions) => {
        const together = await reward.score(predictions)
        const alone = await Promise.all(predictions.map(async (one) => (await reward.score([one]))[0]))
        expect(together).toEqual(alone)
        for (const { reward: value } of together) {
          expect(value).toBeGreaterThanOrEqual(0)
          expect(value).toBeLessThanOrEqual(1)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('embeddingReward', () => {
  it('is 1 strictly below the threshold', async () => {
    const reward = embeddingReward(compass, { mode: 'binary', threshold: 0.5 })
    const scores = await reward.score([predict('59', '0'), predict('61', '0')])
    expect(scores.map((score) => score.reward)).toEqual([1, 0])
    expect(scores[1].distance).toBeCloseTo(1 - Math.cos((61 * Math.PI) / 180), 6)
  })

  it('is never negative when continuous', async () => {
    const scores = await embeddingReward(compass, { mode: 'continuous' }).score([
      predict('60', '0'),
      predict('180', '0'),
    ])
    expect(scores[0].reward).toBeCloseTo(0.5, 6)
    expect(scores[1].reward).toBe(0)
  })

  it('refuses a threshold that no distance can have', () => {
    expect(() => embeddingReward(compass, { mode: 'binary', threshold: 0 })).toThrow(/cosine distance/)
    expect(() => embeddingReward(compass, { mode: 'binary', threshold: Number.NaN })).toThrow(/cosine distance/)
  })
})

describe('hybridReward', () => {
  it('scores each origin with its own reward', async () => {
    const reward = hybridReward({
      user: embeddingReward(compass, { mode: 'binary', threshold: 0.5 }),
      tool: rougeReward(),
    })
    const scores = await reward.score([
      predict('a b c', 'a b d', 'tool'),
      predict('10', '0', 'user'),
      predict(null, '0', 'tool'),
    ])
    expect(scores.map((score) => score.reward)).toEqual([0.6, 1, 0])
    expect(reward.name).toBe('hybrid(user: embedding(compass, d < 0.5), tool: rougeL)')
    await expect(reward.score([predict('a', 'a')])).rejects.toThrow(/from the environment/)
  })
})

describe('calibrateThreshold', () => {
  it('splits what can be split, half-way', () => {
    const calibration = calibrateThreshold([0, 0.1], [0.3, 0.5])
    expect(calibration.threshold).toBeCloseTo(0.2)
    expect(calibration).toMatchObject({ separation: 1, precision: 1, recall: 1, reliable: true })
  })

  it('gives up recall for precision', () => {
    // Below 0.15: 2 of 4 same, 0 of 4 different. Taking the other two as well would let two wrong ones in.
    const calibration = calibrateThreshold([0, 0.1, 0.25, 0.4], [0.2, 0.3, 0.5, 0.6], 0.9)
    expect(calibration.threshold).toBeCloseTo(0.15)
    expect(calibration).toMatchObject({ precision: 1, recall: 0.5, reliable: true })
    expect(calibration.separation).toBeCloseTo(13 / 16)
    expect(calibrateThreshold([0, 0.1, 0.25, 0.4], [0.2, 0.3, 0.5, 0.6], 0.65)).toMatchObject({
      recall: 1,
      precision: 2 / 3,
    })
  })

  it('says when no threshold will do', () => {
    expect(calibrateThreshold([0.5, 0.6], [0.1, 0.2])).toMatchObject({ separation: 0, reliable: false, precision: 0.5 })
    expect(calibrateThreshold([0.1], [0.1])).toMatchObject({ separation: 0.5, reliable: false })
    expect(() => calibrateThreshold([], [1])).toThrow(/one of the lists is empty/)
  })

  it('counts ones balanced: more pairs of one sort do not move the threshold', () => {
    const different = [0.2, 0.3, 0.5]
    const many = Array.from({ length: 50 }, () => different).flat()
    expect(calibrateThreshold([0, 0.25], many, 0.7)).toEqual(calibrateThreshold([0, 0.25], different, 0.7))
  })

  it('reports what the threshold really does', () => {
    const distances = fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(distances, distances, (same, different) => {
        const found = calibrateThreshold(same, different, 0.8)
        const recall = same.filter((d) => d < found.threshold).length / same.length
        const wrong = different.filter((d) => d < found.threshold).length / different.length
        expect(found.recall).toBeCloseTo(recall, 12)
        expect(found.precision).toBeCloseTo(recall === 0 ? 0 : recall / (recall + wrong), 12)
        const wins = same.flatMap((s) => different.map((d): number => (s < d ? 1 : s === d ? 0.5 : 0)))
        expect(found.separation).toBeCloseTo(wins.reduce((a, b) => a + b) / wins.length, 12)
      }),
    )
  })
})

describe('chooseEmbedder', () => {
  const blind: Embedder = {
    name: 'blind',
    semantic: true,
    embed: async (texts) => texts.map(() => Float32Array.of(1, 1)),
  }
  const pairs = {
    same: [
      ['0', '5'],
      ['90', '80'],
    ],
    different: [
      ['0', '90'],
      ['0', '120'],
    ],
  } as const

  it('takes the one that tells the pairs apart, and reports all', async () => {
    const choice = await chooseEmbedder([blind, compass], pairs)
    expect(choice.embedder.name).toBe('compass')
    expect(choice.calibration.reliable).toBe(true)
    expect(choice.candidates.map(({ embedder }) => embedder.name)).toEqual(['compass', 'blind'])
    await expect(chooseEmbedder([], pairs)).rejects.toThrow(/at least one/)
  })

  it('stays with the first given where another is not clearly better', async () => {
    const twin = { ...compass, name: 'twin' }
    expect((await chooseEmbedder([twin, compass], pairs)).embedder.name).toBe('twin')
    expect((await chooseEmbedder([compass, twin], pairs)).embedder.name).toBe('compass')
  })

  it('measures each pair', async () => {
    const [distance] = await pairDistances(compass, [['0', '60']])
    expect(distance).toBeCloseTo(0.5, 6)
  })
})
