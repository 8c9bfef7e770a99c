import { InvalidArgumentError } from 'commander'

/** Parser of a command-line option that is a whole number of at least `least`. */
export function wholeNumber(least = 0): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`It must be a whole number of at least ${least}.`)
    }
    return value
  }
}
