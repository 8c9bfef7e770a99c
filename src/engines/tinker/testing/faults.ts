/** What goes wrong with requests, as tests order it. */
export interface Fault {
  /** Under `/api/v1`. */
  path: string
  /** `after`: the request is worked on, and its reply is lost. */
  when?: 'before' | 'after'
  /** Requests that are let through first. */
  skip?: number
  /** Requests that it happens to. */
  times?: number
  /** The connection is closed; nothing is said; or this is said. */
  reply: 'drop' | 'hang' | Answer
}

export interface Answer {
  status: number
  body?: object
  headers?: Record<string, string>
}

export class Faults {
  private readonly waiting: Fault[] = []

  add(...faults: Fault[]): void {
    this.waiting.push(...faults.map((fault) => ({ ...fault })))
  }

  /** The fault of a request that has just come in, if it is to have one. */
  take(path: string): Fault | null {
    const fault = this.waiting.find((one) => one.path === path)
    if (!fault) return null
    if (fault.skip) {
      fault.skip--
      return null
    }
    fault.times = (fault.times ?? 1) - 1
    if (fault.times <= 0) this.waiting.splice(this.waiting.indexOf(fault), 1)
    return fault
  }
}
