export interface DeadlineLimits {
  firstByteSeconds: number
  gapSeconds: number
  answerSeconds: number
}

/** No answer is longer, in bytes: what is, is no answer. */
const LONGEST_ANSWER = 64 * 2 ** 20
/** Nor any line of one, and a line has to be kept until it ends. */
const LONGEST_LINE = 4 * 2 ** 20
const NEWLINE = 10

/** Watches one answer come in: its first byte, the silences in it, its whole length. What passes a limit is aborted. */
export class Deadline {
  readonly controller = new AbortController()
  /** Which limit passed, as a predicate; null while all is well. */
  late: string | null = null
  private readonly limits: DeadlineLimits
  private readonly whole: NodeJS.Timeout
  private silence: NodeJS.Timeout
  private bytes = 0
  /** Bytes since the last end of a line. */
  private line = 0

  constructor(limits: DeadlineLimits) {
    this.limits = limits
    const { firstByteSeconds, answerSeconds } = limits
    this.whole = this.timer(answerSeconds, `took longer than ${answerSeconds} s for one answer`)
    this.silence = this.timer(firstByteSeconds, `sent nothing for ${firstByteSeconds} s`)
  }

  /** The bytes of an answer, watched as they pass. */
  async *bytesOf({ body }: Response): AsyncGenerator<Uint8Array> {
    for await (const bytes of body ?? []) {
      this.heard(bytes)
      yield bytes
    }
  }

  /** All of it. */
  async textOf(response: Response): Promise<string> {
    const pieces: Uint8Array[] = []
    for await (const bytes of this.bytesOf(response)) pieces.push(bytes)
    return Buffer.concat(pieces).toString()
  }

  /** Ends the watch. */
  stop(): void {
    clearTimeout(this.whole)
    clearTimeout(this.silence)
  }

  private heard(bytes: Uint8Array): void {
    this.bytes += bytes.length
    const end = bytes.lastIndexOf(NEWLINE)
    this.line = end < 0 ? this.line + bytes.length : bytes.length - end - 1
    if (this.bytes > LONGEST_ANSWER) this.abort(`sent more than ${LONGEST_ANSWER / 2 ** 20} MiB for one answer`)
    if (this.line > LONGEST_LINE) this.abort(`sent more than ${LONGEST_LINE / 2 ** 20} MiB without an end of a line`)
    const { gapSeconds } = this.limits
    clearTimeout(this.silence)
    this.silence = this.timer(gapSeconds, `fell silent for ${gapSeconds} s in the middle of an answer`)
  }

  private timer(seconds: number, late: string): NodeJS.Timeout {
    return setTimeout(() => this.abort(late), seconds * 1000)
  }

  private abort(late: string): void {
    this.late ??= late
    this.controller.abort()
  }
}
