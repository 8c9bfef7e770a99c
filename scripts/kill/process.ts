import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
const EXPERIMENT = join(import.meta.dirname, 'experiment.ts')

/** For node's command line: the clock jumps whenever it is read. */
export const CLOCK_JUMPS = ['--import', join(import.meta.dirname, 'clock-jumps.mjs')]

/** A run of the plan takes seconds; one that takes this long hangs. */
const DEADLINE_MS = 10 * 60_000

export interface Ending {
  /** Exit status, or null where a signal ended it. */
  status: number | null
  signal: NodeJS.Signals | null
  /** The stages it began, in order. */
  stages: string[]
  stderr: string
}

/** One `rwml run` at work in a run folder, seen from outside. */
export class Subject {
  readonly ending: Promise<Ending>
  /** When it was started and when each stage began, milliseconds of a clock that nobody sets. */
  readonly marks: { stage: string; at: number }[] = [{ stage: 'open', at: performance.now() }]
  private readonly child: ChildProcess
  private readonly out: string
  private readonly waiting: { there: () => boolean; done: () => void }[] = []

  /** `nodeOptions`: more for node's command line, such as a preload. */
  constructor(out: string, nodeOptions: string[] = []) {
    this.out = out
    const words = [...nodeOptions, '--import', 'tsx', MAIN, 'run', EXPERIMENT, '--out', out, '--resume']
    // A process group of its own, so that the whole of it can be killed.
    this.child = spawn(process.execPath, words, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    this.ending = this.follow()
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }

  /** The stage it is in, as far as it said so. */
  get stage(): string {
    return this.marks[this.marks.length - 1].stage
  }

  /** Resolves when a stage begins, or when the process has ended. */
  begins(stage: string): Promise<void> {
    return this.reaches(() => this.marks.some((mark) => mark.stage === stage))
  }

  /** Resolves when a stage that has begun is over, or the process. */
  leaves(stage: string): Promise<void> {
    return this.reaches(() => this.stage !== stage)
  }

  private async reaches(there: () => boolean): Promise<void> {
    if (there()) return
    await Promise.race([this.ending, new Promise<void>((done) => this.waiting.push({ there, done }))])
  }

  /** Resolves when something in the run folder is written, or after `limit` milliseconds; says which. */
  async writes(limit: number): Promise<boolean> {
    if (!existsSync(this.out)) return false
    const watcher = watch(this.out, { recursive: true })
    // A folder that vanishes while the watcher looks at it is no concern of ours.
    watcher.on('error', () => undefined)
    const timer = new AbortController()
    try {
      return await Promise.race([
        new Promise<true>((done) => watcher.once('change', () => done(true))),
        pause(limit, timer.signal).then(() => false),
        this.ending.then(() => false),
      ])
    } finally {
      watcher.close()
      timer.abort()
    }
  }

  signal(name: NodeJS.Signals, wholeGroup = false): void {
    if (this.hasEnded) return
    try {
      process.kill(wholeGroup ? -this.pid : this.pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  private async follow(): Promise<Ending> {
    let [stdout, stderr] = ['', '']
    this.child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk
      for (let end = stdout.indexOf('\n'); end >= 0; end = stdout.indexOf('\n')) {
        if (stdout.startsWith('stage ')) this.mark(stdout.slice('stage '.length, end))
        stdout = stdout.slice(end + 1)
      }
    })
    this.child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk
    })
    const timer = setTimeout(() => this.signal('SIGKILL', true), DEADLINE_MS)
    const [status, signal] = (await once(this.child, 'close')) as [number | null, NodeJS.Signals | null]
    clearTimeout(timer)
    return { status, signal, stages: this.marks.map((mark) => mark.stage), stderr }
  }

  private mark(stage: string): void {
    this.marks.push({ stage, at: performance.now() })
    for (const one of this.waiting) if (one.there()) one.done()
  }
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', () => clearTimeout(timer))
  })
}

/** Waits without giving up the processor: timers are coarser than a write is long. */
export function spin(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}
