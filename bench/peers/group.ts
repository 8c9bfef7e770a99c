/** b. The gradient of one GRPO group: our shared prefix against the padded batch. */
import type { Datum } from '../../src/engines/index.ts'
import type { OwnTask } from './own.ts'
import { figureOf, type Part, ratio, row, seconds } from './part.ts'
import type { Samples } from './result-file.ts'
import { CLIP, SEED, type Setup, somePrompt, someTokens } from './setup.ts'
import { OwnSide, peerSides, type Side, takeTurns } from './sides.ts'

const KEY = 'b/time'
const OURS = 'ours'
const PLAIN = 'PyTorch f32'
const ROUNDED = 'PyTorch bf16 autocast'
/** Of the policy that sampled: any value does for timing. */
const OLD_LOGPROB = -3

interface Group {
  prompt: number[]
  answers: number[][]
  advantages: number[]
}

function someGroup(setup: Setup, size: number): Group {
  const { prompt, answer } = setup.sizes
  return {
    prompt: somePrompt(setup, prompt, 0).tokens,
    answers: Array.from({ length: size }, (_, i) => someTokens(answer, setup.tokenizer.vocabularySize, i)),
    advantages: Array.from({ length: size }, (_, i) => (i % 2 === 0 ? 1 : -0.5)),
  }
}

function ownTask({ folder, threads, provider }: Setup, { prompt, answers, advantages }: Group): OwnTask {
  const weight = 1 / answers.flat().length
  const data = answers.map((answer, i): Datum => {
    const along = (value: number) => [...prompt.map(() => 0), ...answer.map(() => value)]
    return {
      tokens: [...prompt, ...answer],
      weights: along(weight),
      advantages: along(advantages[i]),
      oldLogprobs: along(OLD_LOGPROB),
    }
  })
  return { folder, threads, provider, data, loss: { kind: 'ppo', clipLow: CLIP, clipHigh: CLIP }, update: false }
}

/** PyTorch's sides of a group; none where it is not installed. */
function pyTorchSides(
  setup: Setup,
  group: Group,
  sizes: number[],
  requests: { [name: string]: object },
): Promise<Side[]> {
  if (!setup.peers.has('PyTorch')) return Promise.resolve([])
  const { folder, threads } = setup
  const task = { folder, threads, seed: SEED, ...group, oldLogprob: OLD_LOGPROB, clip: CLIP, sizes }
  return peerSides('group_step.py', task, requests)
}

/** Micro-batches to try: the whole batch, and halves of it down to 2. */
function microBatches(largest: number): number[] {
  const sizes = [largest]
  while (sizes[sizes.length - 1] >= 4) sizes.push(sizes[sizes.length - 1] / 2)
  return sizes
}

/** Time and memory of a group of some size, the sides one after the other; PyTorch at most `widest` answers at once. */
export async function groupAlone(
  setup: Setup,
  size: number,
  widest: number,
): Promise<{ samples: Samples; about: object }> {
  const group = someGroup(setup, size)
  const ours = await takeTurns([new OwnSide(OURS, ownTask(setup, group))], setup.sizes.drawnRepeats)
  const sides = await pyTorchSides(setup, group, [Math.min(size, widest)], { [PLAIN]: {} })
  const theirs = await takeTurns(sides, setup.sizes.drawnRepeats)
  return { samples: { ...ours.samples, ...theirs.samples }, about: theirs.about }
}

export const groupGradient: Part = {
  title: 'The gradient of a GRPO group',
  cells: (setup) => [
    {
      key: KEY,
      peers: ['PyTorch'],
      measure: async () => {
        const group = someGroup(setup, setup.sizes.group)
        const sizes = microBatches(setup.sizes.group)
        const theirs = await pyTorchSides(setup, group, sizes, { [PLAIN]: {}, [ROUNDED]: { bf16: true } })
        return takeTurns([new OwnSide(OURS, ownTask(setup, group)), ...theirs], setup.sizes.repeats)
      },
    },
  ],
  rows: (samples) => {
    const of = (side: string) => figureOf(samples(KEY), side, 'gradientMs')
    return [
      ...[OURS, PLAIN, ROUNDED].flatMap((side) => row(`gradient, ${side}`, seconds(of(side)), 's')),
      ...row('ours / PyTorch f32', ratio(of(OURS), of(PLAIN)), '×', '<= 0.5'),
    ]
  },
}
