/** c. A whole GRPO step, generation included, against TRL's trainer. */
import { openLocalEngine } from '../../src/engines/index.ts'
import { type GroupMember, policyUpdate } from '../../src/learning/index.ts'
import { type CellPlan, figureOf, type Part, ratio, row } from './part.ts'
import { ADAM, CLIP, SEED, type Setup, somePrompt } from './setup.ts'
import { peerSides, type Side, takeTurns } from './sides.ts'

const PLAIN_KEY = 'c/f32'
const ROUNDED_KEY = 'c/bf16'
const OURS = 'ours'
const TRL = 'TRL f32'
const ROUNDED = 'TRL bf16'
/** The reward counts it: different from answer to answer. */
const LETTER = 'e'
/** Keys and values of all answers at once. */
const CACHE_BYTES = 3 * 2 ** 30
/** Beyond it, eight sequences at once fit beside our engine. */
const MUCH_MEMORY = 30e9

const somePrompts = (setup: Setup) =>
  Array.from({ length: setup.sizes.prompts }, (_, salt) => somePrompt(setup, setup.sizes.prompt, salt))

async function ourSide(setup: Setup): Promise<Side> {
  const { folder, threads, tokenizer, sizes } = setup
  const engine = await openLocalEngine(folder, { threads, cacheBytes: CACHE_BYTES })
  const trainer = engine.trainer()
  const sampler = trainer.sampler()
  const prompts = somePrompts(setup).map(({ tokens }) => tokens)
  const step = async (seed: number) => {
    const params = { n: sizes.group, maxTokens: sizes.answer, temperature: 1, stop: [], seed }
    const samples = await sampler.sample(prompts, params)
    const groups = samples.map((group, p) =>
      group.map(({ tokens, logprobs }): GroupMember => {
        const before = prompts[p].map(() => 0)
        const sequence = {
          tokens: [...prompts[p], ...tokens],
          mask: [...before, ...tokens.map(() => 1)],
          logprobs: [...before, ...logprobs],
        }
        return { sequences: [sequence], reward: tokenizer.decode(tokens).split(LETTER).length - 1 }
      }),
    )
    return policyUpdate(trainer, null, groups, {
      advantages: { scale: 'std', epsilon: 1e-6, level: 'trajectory' },
      aggregation: { kind: 'tokenMean' },
      clipLow: CLIP,
      clipHigh: CLIP,
      kl: { coefficient: 0, estimator: 'k3' },
      entropy: 0,
      temperature: 1,
      adam: ADAM,
    })
  }
  // TRL's first step warms up, too.
  await step(0)
  return {
    name: OURS,
    measure: async (round) => {
      const start = performance.now()
      const { groupVariance } = await step(round)
      // A group whose rewards are all equal would be left out of the update.
      return { ms: performance.now() - start, variedGroups: groupVariance }
    },
    stop: () => engine.close(),
  }
}

async function trlSides(setup: Setup, name: string, bf16: boolean): Promise<Side[]> {
  if (!setup.peers.has('TRL')) return []
  const { folder, threads, sizes } = setup
  const widest = setup.machine.memory > MUCH_MEMORY ? [8, 4, 2] : [4, 2]
  const task = {
    folder,
    threads,
    bf16,
    seed: SEED,
    prompts: somePrompts(setup).map(({ text }) => text),
    promptTokens: sizes.prompt,
    group: sizes.group,
    steps: sizes.answer,
    rounds: sizes.grpoRepeats,
    letter: LETTER,
    adam: ADAM,
    clip: CLIP,
    sizes: widest.filter((size) => size <= sizes.group * sizes.prompts),
  }
  return peerSides('grpo.py', task, { [name]: {} })
}

export const wholeStep: Part = {
  title: 'A whole GRPO step',
  cells: (setup): CellPlan[] => [
    {
      key: PLAIN_KEY,
      peers: ['TRL'],
      measure: async () => {
        // TRL first: its trials and its first step have the machine's memory to themselves.
        const theirs = await trlSides(setup, TRL, false)
        return takeTurns([await ourSide(setup), ...theirs], setup.sizes.grpoRepeats, true)
      },
    },
    {
      key: ROUNDED_KEY,
      peers: ['TRL'],
      measure: async () => takeTurns(await trlSides(setup, ROUNDED, true), setup.sizes.grpoRepeats, true),
    },
  ],
  rows: (samples, { group, prompts }) => {
    const rate = (key: string, side: string) => ratio(group * prompts * 1000, figureOf(samples(key), side, 'ms'))
    const [ours, theirs] = [rate(PLAIN_KEY, OURS), rate(PLAIN_KEY, TRL)]
    return [
      ...row('samples, ours', ours, '1/s'),
      ...row('samples, TRL f32', theirs, '1/s'),
      ...row('samples, TRL bf16', rate(ROUNDED_KEY, ROUNDED), '1/s'),
      ...row('speed over TRL f32', ratio(ours, theirs), '×', '>= 3'),
    ]
  },
}
