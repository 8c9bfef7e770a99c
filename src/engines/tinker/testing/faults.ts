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

type Trouble = Pick<Fault, 'when' | 'reply'>

/** What a client that sends again gets over, at any request. */
const TROUBLES: readonly Trouble[] = [
  { when: 'before', reply: 'drop' },
  { when: 'after', reply: 'drop' },
  { when: 'before', reply: { status: 408 } },
  { when: 'before', reply: { status: 429, headers: { 'retry-after-ms': '5' } } },
  { when: 'after', reply: { status: 500, body: { detail: 'oops' } } },
  { when: 'before', reply: { status: 503 } },
]
/** While a result is waited for. */
const WHILE_WAITING: readonly Trouble[] = [
  ...TROUBLES,
  { when: 'before', reply: { status: 410 } },
  { when: 'before', reply: { status: 200, body: { type: 'try_again', queue_state: 'paused_capacity' } } },
  { when: 'before', reply: { status: 200, body: { status: 'complete_metadata' } } },
  { when: 'before', reply: { status: 400 } },
]

export class Faults {
  private readonly waiting: Fault[] = []
  private readonly every: number
  private requests = 0

  /** `every`: of so many requests one goes wrong, in one way after the other; 0: none but those that are ordered. */
  constructor(every = 0) {
    this.every = every
  }

  add(...faults: Fault[]): void {
    this.waiting.push(...faults.map((fault) => ({ ...fault })))
  }

  /** The fault of a request that has just come in, if it is to have one. */
  take(path: string): Fault | null {
    const fault = this.waiting.find((one) => one.path === path)
    if (!fault) return this.trouble(path)
    if (fault.skip) {
      fault.skip--
      return null
    }
    fault.times = (fault.times ?? 1) - 1
    if (fault.times <= 0) this.waiting.splice(this.waiting.indexOf(fault), 1)
    return fault
  }

  private trouble(path: string): Fault | null {
    if (this.every === 0 || ++this.requests % this.every !== 0) return null
    const troubles = path === 'retrieve_future' ? WHILE_WAITING : TROUBLES
    return { path, ...troubles[(this.requests / this.every) % troubles.length] }
  }
}
