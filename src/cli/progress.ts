import type { StageProgress } from '../stages/index.ts'

/** Where the line goes; `process.stderr` fits. */
export interface ProgressStream {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

const TTY_INTERVAL_MS = 100
const PLAIN_INTERVAL_MS = 10_000

/** A first report this soon after the start tells from where an interrupted stage goes on; it is no part of the rate. */
const RESUME_MS = 1000

/**
 * Progress with rate and time left, on stderr so that stdout stays clean. On a terminal one line that is rewritten;
 * elsewhere a plain line now and then, without any control characters. Display only: nothing may depend on it.
 */
export class Progress implements StageProgress {
  private readonly stream: ProgressStream
  private readonly clock: () => number
  private title = ''
  private total = 0
  private began = 0
  /** Where counting began, and how far it is; null before the first report. */
  private counted: { from: number; done: number } | null = null
  private shownAt = Number.NEGATIVE_INFINITY
  private shown = ''

  /** `clock` gives milliseconds; both are replaced in tests. */
  constructor(stream: ProgressStream = process.stderr, clock: () => number = () => performance.now()) {
    this.stream = stream
    this.clock = clock
  }

  start(title: string, total: number): void {
    this.title = title
    this.total = total
    this.began = this.clock()
    this.counted = null
    this.shownAt = Number.NEGATIVE_INFINITY
  }

  /** `done` of the total are done now; `note` is shown behind, e.g. the latest loss. */
  update(done: number, note = ''): void {
    const now = this.clock()
    const from = this.counted?.from ?? (now - this.began < RESUME_MS ? done : 0)
    this.counted = { from, done }
    if (now - this.shownAt < (this.stream.isTTY ? TTY_INTERVAL_MS : PLAIN_INTERVAL_MS)) return
    this.shownAt = now
    this.show(this.line(now, done, from, note))
  }

  /** The last line, which stays. */
  finish(note = ''): void {
    const time = formatDuration((this.clock() - this.began) / 1000)
    this.show(withSpaces([this.title, `${this.counted?.done ?? 0}/${this.total}`, time, note]))
    if (this.stream.isTTY) this.stream.write('\n')
    this.shown = ''
  }

  private line(now: number, done: number, from: number, note: string): string {
    const parts = [this.title, `${done}/${this.total}`]
    if (this.total > 0) parts.push(`${Math.floor((100 * done) / this.total)} %`)
    const rate = ((done - from) * 1000) / (now - this.began)
    if (rate > 0 && Number.isFinite(rate)) {
      parts.push(`${formatRate(rate)}/s`, `${formatDuration((this.total - done) / rate)} left`)
    }
    return withSpaces([...parts, note])
  }

  private show(line: string): void {
    if (!this.stream.isTTY) {
      this.stream.write(`${line}\n`)
      return
    }
    // Longer than the terminal is wide, the line would wrap and could not be rewritten.
    const cut = line.slice(0, Math.max(1, (this.stream.columns ?? 80) - 1))
    this.stream.write(`\r${cut.padEnd(this.shown.length)}`)
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

function withSpaces(parts: string[]): string {
  return parts.filter((part) => part !== '').join('  ')
}

/** Three digits are enough. */
function formatRate(rate: number): string {
  if (rate >= 100) return rate.toFixed(0)
  return rate >= 10 ? rate.toFixed(1) : rate.toFixed(2)
}
