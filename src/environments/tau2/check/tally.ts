import { PyError } from '../python/errors.ts'

/** Where a recording and this program differ. */
export interface VectorDifference {
  file: string
  /** The task, sequence, transcript or case. */
  unit: string
  /** 1 is the first call; null where it is not about one. */
  step: number | null
  field: string
  expected: unknown
  got: unknown
}

export interface VectorCheck {
  tasks: number
  sequences: number
  transcripts: number
  calls: number
  /** Schemas, policies and prompts. */
  texts: number
  /** Of tasks that the data does not hold, or holds in another version. */
  skipped: number
  /** Of tasks of another version: parts of a judgement, and what a reward is made of, that are not to be compared. */
  otherVersions: number
  /** Tasks, sequences, transcripts, cases and texts that differ: each counts once. */
  differences: number
  callsPerSecond: number
  first: VectorDifference | null
}

/** Thrown where a unit first differs: what follows in it would only repeat that. */
class Differs extends Error {
  constructor(
    readonly step: number | null,
    readonly field: string,
    readonly expected: unknown,
    readonly got: unknown,
  ) {
    super(field)
  }
}

type Count = 'tasks' | 'sequences' | 'transcripts' | 'calls' | 'texts' | 'skipped' | 'otherVersions'

/** Counts what was checked and what differs. */
export class Tally {
  readonly #counts: Record<Count, number> = {
    tasks: 0,
    sequences: 0,
    transcripts: 0,
    calls: 0,
    texts: 0,
    skipped: 0,
    otherVersions: 0,
  }
  #differences = 0
  #first: VectorDifference | null = null
  #milliseconds = 0

  count(what: Count): void {
    this.#counts[what]++
  }

  /** Runs one call and takes its time. */
  timed<T>(call: () => T): T {
    const started = performance.now()
    const result = call()
    this.#milliseconds += performance.now() - started
    this.#counts.calls++
    return result
  }

  /** Checks one unit: the first thing that `expectEqual` finds in it counts, or an exception outside of a call. */
  unit(file: string, unit: string, check: () => void): void {
    try {
      check()
    } catch (error) {
      if (!(error instanceof Differs || error instanceof PyError)) throw error
      const { step, field, expected, got } = error instanceof Differs ? error : raised(error)
      this.#differences++
      this.#first ??= { file, unit, step, field, expected, got }
    }
  }

  get result(): VectorCheck {
    const { calls } = this.#counts
    const callsPerSecond = this.#milliseconds > 0 ? Math.round(calls / (this.#milliseconds / 1000)) : 0
    return { ...this.#counts, differences: this.#differences, callsPerSecond, first: this.#first }
  }
}

/** What the task itself raised: its beginning, an assertion or a replay. */
const raised = ({ kind, message }: PyError): Differs => new Differs(null, 'exception', null, `${kind}: ${message}`)

/** Ends the unit where two plain values differ. */
export function expectEqual(field: string, expected: unknown, got: unknown, step: number | null = null): void {
  if (expected !== got) throw new Differs(step, field, expected, got)
}
