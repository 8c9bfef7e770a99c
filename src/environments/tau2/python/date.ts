const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

/** A date, or with `hasTime` a datetime without zone or fraction. Never changes; compare the ISO texts. */
export class PyDate {
  private constructor(
    /** `isoformat()`: 2025-02-25, or 2025-02-25T12:08:00. */
    readonly iso: string,
    readonly hasTime: boolean,
  ) {}

  /** @param iso year, month and day, each with all its digits */
  static date(iso: string): PyDate {
    return new PyDate(iso, false)
  }

  /** @param iso as 2025-02-25T12:08:00 */
  static datetime(iso: string): PyDate {
    return new PyDate(iso, true)
  }

  /** Whether a day is in the calendar. */
  static isDay(text: string): boolean {
    const match = DATE.exec(text)
    if (!match) return false
    const [year, month, day] = match.slice(1).map(Number)
    const date = new Date(Date.UTC(2000, month - 1, day))
    date.setUTCFullYear(year, month - 1, day)
    return year > 0 && month > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  }

  /** `str(value)`: the day and the time parted by a space. */
  toString(): string {
    return this.iso.replace('T', ' ')
  }
}
