import { InvalidArgumentError } from 'commander'

/** Parser of a command-line option that is a whole number from `least` to `most`. */
export function wholeNumber(least = 0, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isSafeInteger(value) || value < least || value > most) {
      const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
      throw new InvalidArgumentError(`It must be a whole number ${range}.`)
    }
    return value
  }
}

/** Parser of a command-line option that is a number, not necessarily whole, from `least` to `most`. */
export function numberBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() === '' || !(value >= least && value <= most)) {
      throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`)
    }
    return value
  }
}
