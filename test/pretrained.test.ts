/**
 * Our engine against transformers, PEFT and PyTorch on a real pretrained model (`npm run referees` brings all of them; without
 * them everything here is skipped). Both sides have the same float32 weights: the model's, dequantised by us.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hasPretrained, pretrainedFolder } from '../scripts/pretrained.ts'
import { refereeAnswer, refereeHas } from '../src/core/testing/python.ts'
import { openLocalEngine } from '../src/engines/index.ts'
import { ourAnswers, scored, THREADS } from './pretrained/ours.ts'

const distributions = z.object({ own: z.number(), alternatives: z.number(), leftOut: z.number() })
const answerSchema = z.object({
  chats: z.array(z.number()),
  texts: z.object({ tokens: z.number(), different: z.array(z.number()) }),
  scored: distributions,
  greedy: z.object({
    compared: z.number(),
    divergences: z.array(z.object({ answer: z.number(), token: z.number(), margin: z.number() })),
  }),
  gradient: z.object({ loss: z.number(), differences: z.record(z.string(), z.number()) }),
  adam: z.array(z.object({ difference: z.number(), moved: z.number() })),
  half: z.boolean(),
  adapter: distributions,
  merged: z.number(),
  made: z.number(),
})
/** The likeliest tokens at every position but the first, as PEFT computes them. */
const peftSchema = z.array(
  z.object({
    logprobs: z.array(z.number()),
    tokens: z.array(z.array(z.number())),
    tokenLogprobs: z.array(z.array(z.number())),
  }),
)

const here = hasPretrained() && refereeHas('numpy', 'torch', 'transformers', 'peft')

describe.skipIf(!here)('a pretrained model, SmolLM2-135M-Instruct', () => {
  const folder = here ? mkdtempSync(join(tmpdir(), 'rwml-')) : ''
  let ours: Awaited<ReturnType<typeof ourAnswers>>
  let theirs: z.infer<typeof answerSchema>
  beforeAll(async () => {
    ours = await ourAnswers(pretrainedFolder, folder)
    theirs = answerSchema.parse(await refereeAnswer('pretrained.py', folder))
  }, 1_800_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const say = (what: string, ...figures: number[]) =>
    console.log(`${what}: ${figures.map((figure) => figure.toPrecision(2)).join(', ')}`)
  const close = (what: string, { own, alternatives, leftOut }: z.infer<typeof distributions>) => {
    say(`${what}, largest difference of a log-probability`, own, alternatives)
    expect(own).toBeLessThan(1e-3)
    expect(alternatives).toBeLessThan(1e-3)
    expect(leftOut).toBeLessThan(1e-3)
  }

  it('has the same tokens for a megabyte of mixed text', () => {
    say('bytes and tokens of text', ours.bytes, theirs.texts.tokens)
    expect(ours.bytes).toBeGreaterThan(1e6)
    expect(theirs.texts.different).toEqual([])
  })

  it('has the same tokens for 20 conversations in its chat template', () => {
    expect(theirs.chats).toEqual([])
  })

  it('has the same log-probabilities of the likeliest tokens at all positions of 20 prompts', () => {
    close('prompts', theirs.scored)
  })

  it('answers them greedily with the same 64 tokens, up to ties', () => {
    const { compared, divergences } = theirs.greedy
    say('tokens answered alike', compared)
    for (const { answer, token, margin } of divergences)
      say(`answer ${answer} differs at token ${token}, margin`, margin)
    expect(compared).toBeGreaterThan(500)
    for (const { margin } of divergences) expect(margin).toBeLessThan(1e-3)
    expect(divergences.length).toBeLessThanOrEqual(2)
  })

  it('has the same loss, and the same gradient of every tensor', () => {
    const { loss, differences } = theirs.gradient
    const sorted = Object.entries(differences).sort(([, a], [, b]) => b - a)
    say(`gradient, largest relative difference (${sorted[0][0]}), and of the loss`, sorted[0][1], ours.loss / loss - 1)
    expect(Math.abs(ours.loss / loss - 1)).toBeLessThan(1e-5)
    expect(sorted.length).toBeGreaterThan(200)
    for (const [name, difference] of sorted) expect(difference, name).toBeLessThan(1e-4)
  })

  it('has the same weights after five AdamW steps, with weight decay and without', () => {
    for (const { difference, moved } of theirs.adam) {
      say('AdamW, largest difference of a weight, and how far weights moved', difference, moved)
      expect(moved).toBeGreaterThan(1e-3)
      expect(difference).toBeLessThan(1e-6)
    }
  })

  it('loads as bfloat16 with the same values where it was exported so', () => {
    expect(theirs.half).toBe(true)
  })

  it('computes the same in PEFT with an adapter that was trained here', () => {
    close('our adapter', theirs.adapter)
    say('how far it moved a log-probability', ours.changed)
    expect(ours.changed).toBeGreaterThan(0.1)
  })

  it('has the same float32 weights where an adapter was merged and exported', () => {
    say('merged adapter, largest difference of a weight', theirs.merged)
    expect(theirs.merged).toBeLessThan(1e-6)
  })

  it('computes the same here with an adapter that PEFT made', async () => {
    const expected = peftSchema.parse(JSON.parse(readFileSync(join(folder, 'peft.json'), 'utf8')))
    const engine = await openLocalEngine(join(folder, 'peft'), { threads: THREADS })
    const found = await scored(
      engine.trainer().sampler(),
      ours.adapted.map(({ tokens }) => tokens),
    )
    await engine.close()
    let largest = 0
    for (const [i, { logprobs, tokens, tokenLogprobs }] of expected.entries()) {
      for (const [t, logprob] of logprobs.entries()) {
        largest = Math.max(largest, Math.abs(found[i].logprobs[t + 1] - logprob))
        for (const [k, token] of tokens[t].entries()) {
          const at = found[i].alternatives[t + 1].indexOf(token)
          expect(at).toBeGreaterThanOrEqual(0)
          largest = Math.max(largest, Math.abs(found[i].alternativeLogprobs[t + 1][at] - tokenLogprobs[t][k]))
        }
      }
    }
    say("PEFT's adapter, largest difference of a log-probability, and how far it moved one", largest, theirs.made)
    expect(theirs.made).toBeGreaterThan(0.1)
    expect(largest).toBeLessThan(1e-3)
  })
})
