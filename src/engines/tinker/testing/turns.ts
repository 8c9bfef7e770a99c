/** Requests of one model in the order of their numbers, each once. */
interface Taken {
  fingerprint: string
  result: Promise<object>
}

export class SequenceReused extends Error {}

export class Turns {
  private readonly inOrder: boolean
  private readonly taken = new Map<number, Taken>()
  private readonly waiting = new Map<number, () => void>()
  private next = 1
  private last: Promise<unknown> = Promise.resolve()
  /** Requests that were worked on. */
  done = 0

  /** Without `inOrder`, numbers mean nothing: requests go in the order they come, as often as they come. */
  constructor(inOrder: boolean) {
    this.inOrder = inOrder
  }

  get any(): boolean {
    return this.done > 0
  }

  /** @throws SequenceReused where another request had the number */
  take(number: number, fingerprint: string, work: () => Promise<object>): Promise<object> {
    if (!this.inOrder) return this.run(work)
    const known = this.taken.get(number)
    if (known) {
      if (known.fingerprint !== fingerprint) throw new SequenceReused(`number ${number} was another request`)
      return known.result
    }
    const result = new Promise<object>((resolve) => this.waiting.set(number, () => resolve(this.run(work))))
    this.taken.set(number, { fingerprint, result })
    for (let start = this.waiting.get(this.next); start; start = this.waiting.get(this.next)) {
      this.waiting.delete(this.next++)
      start()
    }
    return result
  }

  private run(work: () => Promise<object>): Promise<object> {
    this.done++
    const result = this.last.then(work)
    this.last = result.catch(() => undefined)
    return result
  }
}
