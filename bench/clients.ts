/**
 * What our clients of services cost: samples a second, processor time, memory and the event loop's lateness with a thousand requests
 * under way, against a server that answers at once. Python's `tinker` and `openai` do the same, where they are installed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { UserError } from '../src/core/index.ts'
import { refereeHas, refereePython } from '../src/core/testing/python.ts'
import { median } from './peers/part.ts'
import type { Row } from './row.ts'

const RUNS = 5
/** Tokens of a sample, and how many samples a run asks for. */
const SIZES: Size[] = [
  { tokens: 64, samples: 1000 },
  { tokens: 1024, samples: 1000 },
]

/** What Python has for each. */
const PEERS: Record<string, string> = { tinker: 'tinker', vllm: 'openai', chat: 'openai' }

const runsSchema = z.array(z.object({ seconds: z.number(), cpu: z.number(), lateness: z.number(), memory: z.number() }))
type Runs = z.infer<typeof runsSchema>

interface Size {
  tokens: number
  samples: number
}

interface Side {
  name: string
  command: string
  words: string[]
}

export async function benchClients(): Promise<Row[]> {
  const folder = modelFolder()
  const script = (name: string) => ['--import', 'tsx', join(import.meta.dirname, 'clients', name)]
  const server = spawn(process.execPath, script('server.ts'), { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const url = await firstLine(server)
    const ours = (client: string, name = client): Side => ({
      name,
      command: process.execPath,
      words: [...script('drive.ts'), client],
    })
    const python = (client: string): Side => ({
      name: `${client}, Python's ${PEERS[client]}`,
      command: refereePython(),
      words: [join(import.meta.dirname, '..', 'scripts', 'referee', 'clients.py'), client],
    })
    const rows: Row[] = []
    const measure = async ({ name, command, words }: Side, { tokens, samples }: Size, runs: number) => {
      const args = [...words, url, String(tokens), String(samples), String(runs), folder]
      rows.push(...rowsOf(`${name}, ${tokens} tokens`, samples, await driven(command, args)))
    }
    for (const size of SIZES) {
      await measure(ours('tinker'), size, RUNS)
      await measure(ours('protobuf', 'tinker in protobuf'), size, RUNS)
      for (const client of ['vllm', 'chat']) await measure(ours(client), size, RUNS)
    }
    // Answers that are kept are on the disk before they count.
    await measure(ours('chat-cached', 'chat, answers kept'), { tokens: 64, samples: 200 }, RUNS)
    // They take up to ten times as long: fewer runs, of the smaller size.
    for (const [client, peer] of Object.entries(PEERS)) {
      if (refereeHas(peer)) await measure(python(client), { tokens: 64, samples: 1000 }, 2)
    }
    return [
      ...rows,
      { name: 'load of the machine at the end, processes', value: Number(loadavg()[0].toFixed(1)), unit: '' },
    ]
  } finally {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A config with room for long samples; the Tinker client reads nothing else of a model. */
function modelFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rwml-clients-'))
  const path = join(import.meta.dirname, '..', 'models', 'mini', 'config.json')
  const config: object = z.looseObject({}).parse(JSON.parse(readFileSync(path, 'utf8')))
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, max_position_embeddings: 32_768 }))
  return folder
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('it has no output')
  const { value, done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  if (done) throw new UserError('the server of the bench ended before it listened; its own message is above')
  return value
}

async function driven(command: string, words: readonly string[]): Promise<Runs> {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (piece: Buffer) => (text += piece))
  const [status] = await once(child, 'close')
  if (status !== 0) throw new UserError(`${words.join(' ')} ended with ${status}; its own message is above`)
  return runsSchema.parse(JSON.parse(text))
}

/** Medians, and in the name of the first how far apart the runs were. */
function rowsOf(name: string, samples: number, runs: Runs): Row[] {
  const rates = runs.map(({ seconds }) => samples / seconds)
  const spread = `${Math.round(Math.min(...rates))}–${Math.round(Math.max(...rates))}`
  return [
    { name: `${name} (runs: ${spread})`, value: median(rates), unit: 'samples/s' },
    { name: `${name}: processor time`, value: median(runs.map(({ cpu }) => cpu / samples)), unit: 'µs/sample' },
    { name: `${name}: event loop, 99 of 100`, value: median(runs.map(({ lateness }) => lateness)), unit: 'ms late' },
    { name: `${name}: memory`, value: Math.max(...runs.map(({ memory }) => memory)), unit: 'MB' },
  ]
}
