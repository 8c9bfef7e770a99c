/** Whoever takes part in a measurement, each in a process of its own, and the turns they take. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../src/core/index.ts'
import { Referee } from '../referee.ts'
import type { OwnTask } from './own.ts'
import type { Samples } from './result-file.ts'

const figuresSchema = z.record(z.string(), z.number())
export type Figures = z.infer<typeof figuresSchema>

export interface Side {
  name: string
  /** What it said of itself. */
  about?: unknown
  measure(round: number): Promise<Figures>
  stop(): void | Promise<void>
}

/** Our engine in a child process: the figures of one step of `own.ts` a turn. */
export class OwnSide implements Side {
  readonly name: string
  private readonly child: ChildProcess

  constructor(name: string, task: OwnTask) {
    this.name = name
    this.child = fork(join(import.meta.dirname, 'own.ts'))
    this.child.send(task)
  }

  measure(): Promise<Figures> {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new UserError(`${this.name}: its process ended early; see its message above`))
      this.child.once('exit', ended)
      this.child.once('message', (message) => {
        this.child.off('exit', ended)
        resolve(figuresSchema.parse(message))
      })
      this.child.send('go')
    })
  }

  stop(): void {
    this.child.kill()
  }
}

/** A script of `scripts/referee/peers/`. Several sides can be one process, asked for different things. */
export async function peerSides(script: string, task: object, requests: { [name: string]: object }): Promise<Side[]> {
  const referee = await Referee.start(`peers/${script}`, task)
  return Object.entries(requests).map(([name, request]) => ({
    name,
    about: referee.about,
    measure: async (round) => figuresSchema.parse(await referee.ask({ ...request, round })),
    stop: () => referee.stop(),
  }))
}

/** `repeats` rounds in which the sides take turns, after one that is not counted unless they are `warm`. All are stopped. */
export async function takeTurns(
  sides: Side[],
  repeats: number,
  warm = false,
): Promise<{ samples: Samples; about: object }> {
  const samples: Samples = Object.fromEntries(sides.map(({ name }) => [name, {}]))
  try {
    for (let round = warm ? 1 : 0; round <= repeats; round++) {
      const losses: number[] = []
      for (const side of sides) {
        const { name } = side
        const figures = await side.measure(round)
        console.error(`  ${round === 0 ? 'warm-up' : `${round} of ${repeats}`}, ${name}: ${JSON.stringify(figures)}`)
        if (figures.loss !== undefined) losses.push(figures.loss)
        for (const [figure, value] of Object.entries(figures)) {
          if (round === 0 && figure !== 'peakBytes') continue
          samples[name][figure] ??= []
          samples[name][figure].push(value)
        }
      }
      if (round === 0) requireEqual(losses)
    }
  } finally {
    for (const side of sides) await side.stop()
  }
  return {
    samples,
    about: Object.fromEntries(sides.flatMap(({ name, about }) => (about ? [[name, about]] : []))),
  }
}

/** Sides that compute something else cannot be compared. */
function requireEqual(losses: number[]): void {
  const [first] = losses
  const wrong = losses.find((loss) => !(Math.abs(loss - first) <= 2e-3 * Math.max(1, Math.abs(first))))
  if (wrong === undefined) return
  throw new UserError(`the sides do not compute the same: losses ${losses.join(', ')}; look at their tasks`)
}
