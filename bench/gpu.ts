/**
 * `tsx bench/gpu.ts PART --out FILE [--provider cuda] [--quick] [--alone]`: what `bench/gpu.sh` runs, one part a process. Our engine on a
 * provider of ONNX Runtime beside PyTorch on the same device: gradients, a training step, or decoding. The model is
 * SmolLM2-135M-Instruct where it is there, else the shipped miniature.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { loadRuntime, UserError } from '../src/core/index.ts'
import { PROVIDERS } from '../src/engines/index.ts'
import { requireProvider } from '../src/engines/local/runtime.ts'
import { decoding } from './peers/decode.ts'
import { gradients } from './peers/gradients.ts'
import type { Part } from './peers/part.ts'
import { ResultFile } from './peers/result-file.ts'
import { chosenFolder, makeSetup, type Setup } from './peers/setup.ts'
import { FULL, QUICK } from './peers/sizes.ts'
import { trainingStep } from './peers/step.ts'

/** Of each part, its first cell is measured. */
const PARTS: Record<string, Part> = { gradients, step: trainingStep, decoding }
const root = join(import.meta.dirname, '..')

const optionsSchema = z.object({
  part: z.enum(Object.keys(PARTS)),
  provider: z.enum(PROVIDERS),
  quick: z.boolean(),
  /** Without PyTorch. */
  alone: z.boolean(),
  out: z.string(),
})

function readOptions(): z.infer<typeof optionsSchema> {
  const usage = `usage: gpu.ts ${Object.keys(PARTS).join('|')} --out FILE [--provider ${PROVIDERS.join('|')}] [--quick] [--alone]`
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        provider: { type: 'string', default: 'cuda' },
        quick: { type: 'boolean', default: false },
        alone: { type: 'boolean', default: false },
        out: { type: 'string' },
      },
    })
    return optionsSchema.parse({ ...values, part: positionals[0] })
  } catch {
    throw new UserError(usage, 2)
  }
}

function modelFolder(): string {
  const folder = chosenFolder()
  return existsSync(join(folder, 'config.json')) ? folder : join(root, 'models', 'mini')
}

/** Name and driver of the card; null where there is none. */
function card(): string | null {
  const { status, stdout } = spawnSync('nvidia-smi', ['--query-gpu=name,driver_version', '--format=csv,noheader'])
  return status === 0 ? stdout.toString().trim() : null
}

/** What is compared here is PyTorch at most: llama.cpp computes on the processor. */
function only(setup: Setup, alone: boolean): Setup {
  return { ...setup, peers: new Set([...setup.peers].filter((peer) => !alone && peer === 'PyTorch')) }
}

async function run(): Promise<void> {
  const { part: name, provider, quick, alone, out } = readOptions()
  await requireProvider(await loadRuntime(), provider)
  const folder = modelFolder()
  const setup = only(await makeSetup(quick ? QUICK : FULL, provider, folder), alone)
  const part = PARTS[name]
  const [{ key, peers, measure }] = part.cells(setup)
  const { samples, about } = await measure(setup)
  const record = new ResultFile(out, 'bench/gpu.sh')
  record.keep(`${provider}/${name}`, setup, peers, {
    samples,
    about: { ...about, model: basename(folder), card: card() },
  })
  for (const { name, value, unit } of part.rows((one) => (one === key ? samples : undefined), setup.sizes)) {
    console.log(`${name}: ${value.toPrecision(3)} ${unit}`.trimEnd())
  }
}

try {
  await run()
} catch (error) {
  if (!(error instanceof UserError)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}
