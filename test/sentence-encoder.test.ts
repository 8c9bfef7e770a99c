/**
 * Our embedder against transformers on a real sentence encoder (`npm run referees` brings both; without them this is skipped): the
 * same weights, as a graph that PyTorch wrote.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { encoderFolder, hasEncoder } from '../scripts/pretrained.ts'
import { refereeAnswer, refereeHas } from '../src/core/testing/python.ts'
import { cosineDistance, OnnxEmbedder } from '../src/embedders/index.ts'
import { embedderContract } from '../src/embedders/testing/contract.ts'
import { conversations, mixedTexts } from './pretrained/texts.ts'

const here = hasEncoder() && refereeHas('torch', 'transformers', 'onnx')

const TEXTS = [
  'On the countertop 1, you see a mug 2, a knife 1, and a soapbottle 3.',
  'You open the fridge 1. The fridge 1 is open. In it, you see nothing.',
  'Nothing happens.',
  '{"type":"object","properties":{"left":{"type":"number"}}}',
  '',
  ' \t\n',
  'Ünïcödé naïve façade Straße İstanbul ﬁ ½ e\u0301',
  '世界, 𠮷野家 こんにちは 안녕 مرحبا नमस्ते',
  '🙂 👩‍👩‍👧 \u200b zero\u00a0width',
  "don't can't it's O'Neill's",
  `${'x'.repeat(150)} a word too long`,
  ...conversations.flatMap((messages) => messages.map(({ content }) => content)),
  // Code and prose longer than the encoder's 256 tokens. What is drawn from all of Unicode stands behind it: of characters newer than
  // Hugging Face's tables some are taken for others there.
  ...mixedTexts().filter((_, index) => index < 300 && index % 10 === 0),
]

describe.skipIf(!here)('a sentence encoder, all-MiniLM-L6-v2', () => {
  const folder = here ? mkdtempSync(join(tmpdir(), 'rwml-')) : ''
  let embedder: OnnxEmbedder
  let theirs: Float32Array[]
  beforeAll(async () => {
    writeFileSync(join(folder, 'task.json'), JSON.stringify({ encoder: encoderFolder, texts: TEXTS }))
    const answer = z.array(z.array(z.number())).parse(await refereeAnswer('sentences.py', folder))
    theirs = answer.map((vector) => Float32Array.from(vector))
    embedder = await OnnxEmbedder.open(encoderFolder)
  }, 900_000)
  afterAll(async () => {
    await embedder?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  embedderContract('all-MiniLM-L6-v2', async () => embedder)

  it('gives the vectors of transformers', async () => {
    const began = performance.now()
    const ours = await embedder.embed(TEXTS)
    const rate = (1000 * TEXTS.length) / (performance.now() - began)
    const distances = ours.map((vector, i) => cosineDistance(vector, theirs[i]))
    console.log(
      `${TEXTS.length} texts, ${rate.toFixed(0)} a second; largest distance ${Math.max(...distances).toPrecision(2)}`,
    )
    expect(TEXTS.length).toBeGreaterThan(50)
    expect(embedder.dimension).toBe(384)
    expect(distances.filter((distance) => distance >= 1e-4)).toEqual([])
  })
})
