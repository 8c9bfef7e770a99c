import { dirname } from 'node:path'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { acquireLock, JsonLines, makeFolder, type RunLock } from '../store/index.ts'
import { ServiceError } from './errors.ts'
import { costText } from './prices.ts'

const lineSchema = z.discriminatedUnion('kind', [
  /** Written before a request, with what it may cost at most. */
  z.object({ kind: z.literal('start'), id: z.int().min(0), most: z.number().min(0) }),
  /** Written after it, with what it did cost, in dollars. */
  z.object({ kind: z.literal('end'), id: z.int().min(0), cost: z.number().min(0) }),
])

/** Sums of small prices are not exact. */
const ROUNDING = 1e-9

/**
 * What model services have cost, and the limit of it. Every request is on the disk before it is sent, so a run that was
 * killed and resumed counts on; what was under way at that moment counts with the most it could cost, since nobody knows.
 * Several services of one run share one of these, and no other process may: two that do not know of each other would pass it.
 */
export class Spending {
  /** In dollars; null for none. */
  readonly limit: number | null
  private readonly log: JsonLines<z.output<typeof lineSchema>>
  /** What requests under way may cost, by id. */
  private readonly open = new Map<number, number>()
  private settled = 0
  private nextId = 0
  private readonly lock: RunLock
  private readonly release = () => this.lock.release()
  private readonly waiting: (() => void)[] = []

  /** Goes on with the file at `path`, or makes it. @throws UserError (damaged file, disk, another process has it) */
  constructor(path: string, limit: number | null) {
    if (limit !== null && !(typeof limit === 'number' && limit >= 0))
      throw new UserError('a spending limit must be a number of dollars, 0 or more', 2)
    this.limit = limit
    makeFolder(dirname(path))
    this.lock = acquireLock(`${path}.lock`, process.argv.slice(1).join(' '), path)
    process.once('exit', this.release)
    this.log = new JsonLines(path, lineSchema)
    for (const line of this.log) {
      if (line.kind === 'start') this.open.set(line.id, line.most)
      else {
        this.settled += line.cost
        this.open.delete(line.id)
      }
      this.nextId = Math.max(this.nextId, line.id + 1)
    }
    this.settled += this.reserved
    this.open.clear()
  }

  /** In dollars, by requests that are over. */
  get spent(): number {
    return this.settled
  }

  /**
   * Room for one request that costs at most `most` dollars. Where only requests under way stand in the way, it waits for
   * what they cost in the end. @returns what has to be told the true cost
   * @throws ServiceError (spending) if the limit would be passed
   */
  async reserve(most: number, where: string): Promise<(cost: number) => void> {
    while (this.limit !== null && this.settled + this.reserved + most > this.limit + ROUNDING) {
      if (this.settled + most > this.limit + ROUNDING) throw this.tooMuch(most, where, this.limit)
      await new Promise<void>((again) => this.waiting.push(again))
    }
    const id = this.nextId++
    this.log.append([{ kind: 'start', id, most }])
    this.open.set(id, most)
    return (cost) => {
      this.log.append([{ kind: 'end', id, cost }])
      this.open.delete(id)
      this.settled += cost
      for (const again of this.waiting.splice(0)) again()
    }
  }

  close(): void {
    this.log.close()
    process.removeListener('exit', this.release)
    this.release()
  }

  private get reserved(): number {
    return [...this.open.values()].reduce((sum, most) => sum + most, 0)
  }

  private tooMuch(most: number, where: string, limit: number): ServiceError {
    const sums = `${costText(this.settled)} are spent and this request may cost ${costText(most)}`
    return new ServiceError(where, {
      kind: 'spending',
      what: `was not asked, since that could pass the spending limit of ${costText(limit)} (${sums})`,
      advice: 'raise the limit, then resume',
    })
  }
}
