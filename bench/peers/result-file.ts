/** What has been measured, in one file: a cell is kept as soon as it is measured, and not measured again until it is named. */
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { readJson, writeJson } from '../../src/store/index.ts'
import { type Peer, SEED, type Setup } from './setup.ts'

/** By side (`ours`, `PyTorch`, …), by figure: one value a repeat. */
const samplesSchema = z.record(z.string(), z.record(z.string(), z.array(z.number())))
export type Samples = z.infer<typeof samplesSchema>

const cellSchema = z.strictObject({
  date: z.string(),
  seed: z.number(),
  threads: z.number(),
  machine: z.strictObject({ cpu: z.string(), cores: z.number(), memory: z.number(), node: z.string() }),
  versions: z.record(z.string(), z.string()),
  sizes: z.record(z.string(), z.union([z.number(), z.array(z.number())])),
  /** What the other sides said of themselves: kind of cache, micro-batch. */
  about: z.record(z.string(), z.unknown()),
  /** Peers that were not installed. */
  without: z.array(z.string()),
  samples: samplesSchema,
})
export type Cell = z.infer<typeof cellSchema>

const fileSchema = z.strictObject({ command: z.string(), cells: z.record(z.string(), cellSchema) })

export class ResultFile {
  private readonly path: string
  private readonly command: string
  readonly cells: Map<string, Cell>

  constructor(path: string, command: string) {
    this.path = path
    this.command = command
    const known = existsSync(path) ? readJson(path, fileSchema).cells : {}
    this.cells = new Map(Object.entries(known))
  }

  /** Whether a cell is there with all of the peers that could take part now. */
  has(key: string, peers: ReadonlySet<Peer>): boolean {
    const cell = this.cells.get(key)
    return cell !== undefined && !cell.without.some((peer) => peers.has(peer as Peer))
  }

  keep(key: string, setup: Setup, wanted: readonly Peer[], measured: { samples: Samples; about: object }): void {
    this.cells.set(key, {
      date: new Date().toISOString().slice(0, 10),
      seed: SEED,
      threads: setup.threads,
      machine: setup.machine,
      versions: setup.versions,
      sizes: { ...setup.sizes },
      about: { ...measured.about },
      without: wanted.filter((peer) => !setup.peers.has(peer)),
      samples: measured.samples,
    })
    this.write()
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.cells.delete(key)
    this.write()
  }

  private write(): void {
    const sorted = [...this.cells].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    const content = { command: this.command, cells: Object.fromEntries(sorted) }
    writeJson(this.path, content)
  }
}
