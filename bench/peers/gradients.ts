/** The gradient of every tensor on one provider: against the processor's, and against PyTorch's on the same device. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refereeAnswer } from '../../src/core/testing/python.ts'
import type { Datum, Provider } from '../../src/engines/index.ts'
import { ParameterSet } from '../../src/engines/local/parameters.ts'
import { relativeError } from '../../src/engines/local/testing/data.ts'
import { TrainerCore } from '../../src/engines/local/training/trainer-core.ts'
import { type Part, row } from './part.ts'
import type { Samples } from './result-file.ts'
import { plainDatum, type Setup, somePrompt } from './setup.ts'

const KEY = 'gradients'

async function ourGradient({ folder, threads }: Setup, provider: Provider, data: Datum[]): Promise<ParameterSet> {
  const core = TrainerCore.open(folder, { threads, provider })
  try {
    await core.forwardBackward(data, { kind: 'cross_entropy' })
    return core.accumulatedGradient()
  } finally {
    await core.close()
  }
}

/** PyTorch's, in double precision. */
async function refereeGradient(setup: Setup, data: Datum[], { specs }: ParameterSet): Promise<ParameterSet> {
  const { folder, threads, provider } = setup
  // The referee reads its task beside the model, and leaves its answer there.
  const place = mkdtempSync(join(tmpdir(), 'rwml-gradients-'))
  try {
    for (const name of readdirSync(folder)) symlinkSync(join(folder, name), join(place, name))
    writeFileSync(join(place, 'task.json'), JSON.stringify({ data, order: specs.map(({ name }) => name), threads }))
    await refereeAnswer('gradients.py', JSON.stringify({ folders: [place], device: provider }))
    const { buffer, byteOffset } = readFileSync(join(place, 'gradients.bin'))
    const gradient = new ParameterSet(specs)
    gradient.flat.set(new Float32Array(buffer, byteOffset, gradient.flat.length))
    return gradient
  } finally {
    rmSync(place, { recursive: true })
  }
}

/** By tensor: the norm of the difference, relative to the norm of what it should be. */
function differences(found: ParameterSet, expected: ParameterSet): Record<string, number[]> {
  return Object.fromEntries(
    [...expected.entries()].map(([name, values]) => [name, [relativeError(found.view(name), values)]]),
  )
}

export const gradients: Part = {
  title: 'The gradient of every tensor',
  cells: (setup) => [
    {
      key: KEY,
      peers: ['PyTorch'],
      measure: async () => {
        const { tokens } = somePrompt(setup, setup.sizes.step, 0)
        const data = [plainDatum(tokens)]
        const plain = await ourGradient(setup, 'cpu', data)
        const found = await ourGradient(setup, setup.provider, data)
        const samples: Samples = { [`${setup.provider} beside cpu`]: differences(found, plain) }
        if (setup.peers.has('PyTorch')) {
          const theirs = await refereeGradient(setup, data, plain)
          samples[`${setup.provider} beside PyTorch`] = differences(found, theirs)
          samples['cpu beside PyTorch'] = differences(plain, theirs)
        }
        return { samples, about: {} }
      },
    },
  ],
  rows: (samples) =>
    Object.entries(samples(KEY) ?? {}).flatMap(([sides, tensors]) => {
      const [[name, [value]]] = Object.entries(tensors).sort(([, [a]], [, [b]]) => b - a)
      return row(`largest of ${Object.keys(tensors).length} relative differences, ${sides}: ${name}`, value, '')
    }),
}
