/** a. A plain training step on one sequence, AdamW included, and what each process takes at most. */
import type { OwnTask } from './own.ts'
import { type CellPlan, figureOf, gibibytes, type Part, ratio, row, seconds } from './part.ts'
import type { Samples } from './result-file.ts'
import { ADAM, plainDatum, SEED, type Setup, somePrompt } from './setup.ts'
import { OwnSide, peerSides, type Side, takeTurns } from './sides.ts'

const TIME = 'a/time'
const MEMORY = 'a/memory'
const OURS = 'ours'
const TWICE = 'ours, layers computed twice'
const PLAIN = 'PyTorch f32'
const ROUNDED = 'PyTorch bf16 autocast'
/** Steps after which memory grows no more. */
const MEMORY_STEPS = 2

function ownTask({ folder, threads, provider }: Setup, tokens: number[]): OwnTask {
  return { folder, threads, provider, data: [plainDatum(tokens)], loss: { kind: 'cross_entropy' }, update: true }
}

/** PyTorch's sides of a step on these tokens; none where it is not installed. */
function pyTorchSides(setup: Setup, tokens: number[], requests: { [name: string]: object }): Promise<Side[]> {
  if (!setup.peers.has('PyTorch')) return Promise.resolve([])
  const { folder, threads, provider } = setup
  const task = { folder, threads, device: provider, seed: SEED, tokens, adam: ADAM }
  return peerSides('train_step.py', task, requests)
}

/** Time and memory at one length, the sides one after the other: long contexts would not fit side by side. */
export async function stepAlone(setup: Setup, length: number): Promise<{ samples: Samples; about: object }> {
  const { tokens } = somePrompt(setup, length, 0)
  const ours = await takeTurns([new OwnSide(OURS, ownTask(setup, tokens))], setup.sizes.drawnRepeats)
  const theirs = await takeTurns(await pyTorchSides(setup, tokens, { [PLAIN]: {} }), setup.sizes.drawnRepeats)
  return { samples: { ...ours.samples, ...theirs.samples }, about: {} }
}

export const trainingStep: Part = {
  title: 'A plain training step',
  cells: (setup): CellPlan[] => {
    const { tokens } = somePrompt(setup, setup.sizes.step, 0)
    return [
      {
        key: TIME,
        peers: ['PyTorch'],
        measure: async () =>
          takeTurns(
            [
              new OwnSide(OURS, ownTask(setup, tokens)),
              ...(await pyTorchSides(setup, tokens, { [PLAIN]: {}, [ROUNDED]: { bf16: true } })),
            ],
            setup.sizes.repeats,
          ),
      },
      {
        key: MEMORY,
        peers: ['PyTorch'],
        measure: async () => {
          // One after the other: each has the machine's memory to itself.
          const sides: (() => Promise<Side[]>)[] = [
            async () => [new OwnSide(OURS, ownTask(setup, tokens))],
            async () => [new OwnSide(TWICE, { ...ownTask(setup, tokens), activationBytes: 1 })],
            () => pyTorchSides(setup, tokens, { [PLAIN]: {} }),
            () => pyTorchSides(setup, tokens, { [ROUNDED]: { bf16: true } }),
          ]
          const samples: Samples = {}
          for (const start of sides) Object.assign(samples, (await takeTurns(await start(), MEMORY_STEPS)).samples)
          return { samples, about: {} }
        },
      },
    ]
  },
  rows: (samples) => {
    const time = samples(TIME)
    const memory = samples(MEMORY)
    const of = (side: string, figure: string) => figureOf(time, side, figure)
    const peak = (side: string) => {
      const values = memory?.[side]?.peakBytes
      return values && Math.max(...values)
    }
    const parts = [
      ['totalMs', 'whole step', '<= 0.85'],
      ['gradientMs', 'forward and backward', undefined],
      ['adamMs', 'AdamW', '<= 1.2'],
    ] as const
    return [
      ...parts.flatMap(([figure, name, target]) => [
        ...[OURS, PLAIN, ROUNDED].flatMap((side) => row(`${name}, ${side}`, seconds(of(side, figure)), 's')),
        ...row(`${name}, ours / PyTorch f32`, ratio(of(OURS, figure), of(PLAIN, figure)), '×', target),
      ]),
      ...[OURS, TWICE, PLAIN, ROUNDED].flatMap((side) => row(`peak memory, ${side}`, gibibytes(peak(side)), 'GiB')),
      ...row('peak memory, ours / PyTorch f32', ratio(peak(OURS), peak(PLAIN)), '×', '<= 1.5'),
      ...row('peak memory, layers computed twice / PyTorch f32', ratio(peak(TWICE), peak(PLAIN)), '×', '<= 1.25'),
    ]
  },
}
