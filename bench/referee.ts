/** A referee in Python: a child process that answers every line it is sent with one line. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { UserError } from '../src/core/index.ts'
import { refereePython } from '../src/core/testing/python.ts'

const readySchema = z.strictObject({ ready: z.unknown() })

export class Referee {
  private readonly script: string
  private readonly child: ChildProcess
  private readonly lines: AsyncIterator<string>

  /** What a script said of itself when it was ready. */
  about: unknown

  private constructor(script: string, task: unknown) {
    this.script = script
    const path = fileURLToPath(new URL(`../scripts/referee/${script}`, import.meta.url))
    this.child = spawn(refereePython(), [path, JSON.stringify(task)], { stdio: ['pipe', 'pipe', 'inherit'] })
    if (!this.child.stdout) throw new Error('the referee has no output')
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  /** Start a script of `scripts/referee/` and wait until it is ready. */
  static async start(script: string, task: unknown): Promise<Referee> {
    const referee = new Referee(script, task)
    const line = await referee.line()
    if (line !== 'ready') referee.about = readySchema.parse(JSON.parse(line)).ready
    return referee
  }

  private async line(): Promise<string> {
    const { value, done } = await this.lines.next()
    if (done)
      throw new UserError(`${this.script} ended early; its own message is above, and no message means it was killed`)
    return value
  }

  /** Let it run once: milliseconds, by its own clock. */
  async measure(): Promise<number> {
    this.child.stdin?.write('\n')
    return Number(await this.line())
  }

  /** Let it run once, as asked: its answer. */
  async ask(request: unknown): Promise<unknown> {
    this.child.stdin?.write(`${JSON.stringify(request)}\n`)
    return JSON.parse(await this.line())
  }

  stop(): void {
    this.child.stdin?.end()
  }
}
