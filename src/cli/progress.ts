/** Where the line goes; `process.stderr` fits. */
export interface ProgressStream {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

export interface ProgressOptions {
  /** What is being done, e.g. `collect`. */
  label: string
  total: number
  /** Plural name of what is counted, e.g. `episodes`. */
  unit: string
  /** Already done by an earlier, interrupted attempt: counted, but not part of the rate. */
  done?: number
  stream?: ProgressStream
  /** Milliseconds; replaced in tests. */
  clock?: () => number
}

const TTY_INTERVAL_MS = 100
const PLAIN_INTERVAL_MS = 10_000

/**
 * Progress with rate and time left, on stderr so that stdout stays clean. On a terminal one line that is rewritten;
 * elsewhere a plain line now and then, without any control characters. Display only: nothing may depend on it.
 */
export class Progress {
  private readonly options: Required<ProgressOptions>
  private readonly began: number
  private done: number
  private shownAt = Number.NEGATIVE_INFINITY
  private shown = ''

  constructor(options: ProgressOptions) {
    this.options = { done: 0, stream: process.stderr, clock: Date.now, ...options }
    this.began = this.options.clock()
    this.done = this.options.done
  }

  /** `done` of the total are done now; `note` is shown behind, e.g. the latest loss. */
  update(done: number, note = ''): void {
    this.done = done
    const now = this.options.clock()
    if (now - this.shownAt < (this.options.stream.isTTY ? TTY_INTERVAL_MS : PLAIN_INTERVAL_MS)) return
    this.shownAt = now
    this.show(this.line(now, note))
  }

  /** The last line, which stays. */
  finish(note = ''): void {
    const seconds = (this.options.clock() - this.began) / 1000
    const parts = [`${this.done}/${this.options.total} ${this.options.unit} in ${formatDuration(seconds)}`, note]
    this.show(`${this.options.label}  ${parts.filter(Boolean).join('  ')}`)
    if (this.options.stream.isTTY) this.options.stream.write('\n')
  }

  private line(now: number, note: string): string {
    const { label, total, unit, done: before } = this.options
    const rate = ((this.done - before) * 1000) / (now - this.began)
    const parts = [`${this.done}/${total}`]
    if (total > 0) parts.push(`${Math.floor((100 * this.done) / total)} %`)
    if (rate > 0 && Number.isFinite(rate)) {
      parts.push(`${formatRate(rate)} ${unit}/s`, `${formatDuration((total - this.done) / rate)} left`)
    }
    return [label, ...parts, note].filter(Boolean).join('  ')
  }

  private show(line: string): void {
    const { stream } = this.options
    if (!stream.isTTY) {
      stream.write(`${line}\n`)
      return
    }
    // Longer than the terminal is wide, the line would wrap and could not be rewritten.
    const cut = line.slice(0, Math.max(1, (stream.columns ?? 80) - 1))
    stream.write(`\r${cut.padEnd(this.shown.length)}`)
    this.shown = cut
  }
}

/** `45 s`, `3 min 20 s`, `2 h 05 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
  const minutes = Math.round(whole / 60)
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** Three digits are enough. */
function formatRate(rate: number): string {
  if (rate >= 100) return rate.toFixed(0)
  return rate >= 10 ? rate.toFixed(1) : rate.toFixed(2)
}
