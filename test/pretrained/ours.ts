/** All that our engine computes with the pretrained model, written where `scripts/referee/pretrained.py` looks for it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AdamParams,
  type Datum,
  type Lora,
  MOST_ALTERNATIVES,
  openLocalEngine,
  type Sampler,
} from '../../src/engines/index.ts'
import { adamStep } from '../../src/engines/local/training/adamw.ts'
import { TrainerCore } from '../../src/engines/local/training/trainer-core.ts'
import { convertModel } from '../../src/models/index.ts'
import { loadChatFormat } from '../../src/tokens/index.ts'
import { conversations, mixedTexts } from './texts.ts'

export const THREADS = 2
const NEW_TOKENS = 64
/** Prompts that adapters are compared on: short ones, and each of another kind. */
const ADAPTED = [0, 6, 8, 11, 16]
const lora: Lora = {
  rank: 8,
  alpha: 16,
  targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
}
/** An adapter that PEFT makes: other layers, another rank and another scale. */
const peft = { r: 6, lora_alpha: 9, target_modules: ['q_proj', 'v_proj', 'down_proj'] }

const adam: AdamParams = { learningRate: 1e-3, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 0 }
const STEPS = 5
/** Every so many weights take part in the comparison of optimisers: all tensors, and no gigabytes. */
const STRIDE = 4
/** Each step has the same gradient moved along by so many weights. */
const SHIFT = 1_000_003

export interface Scored {
  tokens: number[]
  logprobs: number[]
  alternatives: number[][]
  alternativeLogprobs: number[][]
}

/** Sequences with the likeliest tokens at every position; the first, which nothing predicts, is empty. */
export async function scored(sampler: Sampler, sequences: number[][]): Promise<Scored[]> {
  if (!sampler.score) throw new Error('the local engine scores')
  const found = await sampler.score(sequences, MOST_ALTERNATIVES)
  return found.map(({ logprobs, alternatives }, i) => ({
    tokens: sequences[i],
    logprobs,
    alternatives: alternatives.map(({ tokens }) => tokens),
    alternativeLogprobs: alternatives.map((one) => one.logprobs),
  }))
}

/** Cross-entropy over all tokens of a few texts. */
function textData(texts: { tokens: number[] }[]): Datum[] {
  const pieces = [0, 200, texts.length - 3].map((i) => texts[i].tokens.slice(0, 120))
  const count = pieces.reduce((sum, tokens) => sum + tokens.length - 1, 0)
  return pieces.map((tokens) => ({ tokens, weights: tokens.map((_, t) => (t === 0 ? 0 : 1 / count)) }))
}

/** Prompts, their tokens, what is answered greedily, and the distributions along all of it. */
async function sampling(model: string) {
  const chat = loadChatFormat(model)
  const chats = conversations.map((messages) => ({
    messages,
    tokens: chat.tokenizer.encode(chat.promptText(messages)),
  }))
  const prompts = chats.map(({ tokens }) => tokens)
  const engine = await openLocalEngine(model, { threads: THREADS, frozen: true })
  try {
    const sampler = engine.trainer().sampler()
    const params = { n: 1, maxTokens: NEW_TOKENS, temperature: 0, stop: chat.stop, seed: 0 }
    const samples = await sampler.sample(prompts, params)
    const answers = samples.map(([{ tokens }], i) => ({ prompt: prompts[i], tokens }))
    return { chats, answers, scored: await scored(sampler, prompts) }
  } finally {
    await engine.close()
  }
}

/** The gradient of a text, and weights after steps along it, into files. */
async function training(model: string, folder: string, data: Datum[]) {
  const core = TrainerCore.open(model, { threads: THREADS })
  const { loss } = await core.forwardBackward(data, { kind: 'cross_entropy' })
  const gradient = core.accumulatedGradient().flat
  writeFileSync(join(folder, 'gradient.bin'), gradient)
  const every = (values: Float32Array) =>
    Float32Array.from({ length: Math.floor(values.length / STRIDE) }, (_, i) => values[STRIDE * i])
  const [weights, part] = [every(core.weights.trained.flat), every(gradient)]
  writeFileSync(join(folder, 'weights.bin'), weights)
  writeFileSync(join(folder, 'part.bin'), part)
  const order = core.weights.trained.specs.map(({ name }) => name)
  await core.close()
  const steps = [0, 0.1].map((weightDecay) => {
    const settings = { ...adam, weightDecay, steps: STEPS, shift: SHIFT, file: `decay-${weightDecay}.bin` }
    writeFileSync(join(folder, settings.file), steppedWeights(weights, part, settings))
    return settings
  })
  return { loss, order, adam: steps }
}

function steppedWeights(start: Float32Array, part: Float32Array, settings: AdamParams): Float32Array {
  const size = start.length
  const [first, second, gradient] = [0, 0, 0].map(() => new Float32Array(size))
  const weights = start.slice()
  for (let step = 0; step < STEPS; step++) {
    const moved = (step * SHIFT) % size
    gradient.set(part.subarray(size - moved), 0)
    gradient.set(part.subarray(0, size - moved), moved)
    adamStep({ weights, gradient, first, second }, settings, step + 1, 0)
  }
  return weights
}

/** An adapter that was trained a few steps, saved, and merged into an exported model. */
async function adapter(model: string, folder: string, data: Datum[], prompts: number[][]) {
  const engine = await openLocalEngine(model, { threads: THREADS, lora })
  const saved = join(folder, 'lora')
  try {
    const trainer = engine.trainer()
    for (let step = 0; step < 3; step++) {
      await trainer.forwardBackward(data, { kind: 'cross_entropy' })
      await trainer.optimStep({ ...adam, learningRate: 3e-3 })
    }
    await trainer.save(saved)
    return await scored(trainer.sampler(), prompts)
  } finally {
    await engine.close()
  }
}

/** Everything, and the task for the referee, in an empty folder. */
export async function ourAnswers(model: string, folder: string) {
  const { tokenizer } = loadChatFormat(model)
  const texts = mixedTexts().map((text) => ({ text, tokens: tokenizer.encode(text) }))
  writeFileSync(join(folder, 'texts.json'), JSON.stringify(texts))
  const data = textData(texts)
  const sampled = await sampling(model)
  const trained = await training(model, folder, data)
  const prompts = ADAPTED.map((i) => sampled.chats[i].tokens)
  const adapted = await adapter(model, folder, data, prompts)
  await convertModel(model, join(folder, 'bf16'), 'BF16')
  await convertModel(join(folder, 'lora'), join(folder, 'f32'), 'F32')
  const task = { model, threads: THREADS, newTokens: NEW_TOKENS, data, ...sampled, ...trained, adapted, peft }
  writeFileSync(join(folder, 'task.json'), JSON.stringify(task))
  const changes = ADAPTED.flatMap((i, at) =>
    sampled.scored[i].logprobs.map((value, t) => Math.abs(value - adapted[at].logprobs[t])),
  )
  return {
    loss: trained.loss,
    bytes: texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
    adapted,
    /** How far the trained adapter moved a log-probability. */
    changed: Math.max(...changes),
  }
}
