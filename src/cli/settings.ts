import { Option } from 'commander'
import { shellQuote, UserError } from '../core/index.ts'

/** `--set name=value`, as often as one likes. `what` it sets, for the help. */
export function setOption(what: string): Option {
  return new Option('--set <name=value>', `set ${what}; can be given again`)
    .argParser((one: string, all: string[]) => [...all, one])
    .default([])
}

/** What was given by `--set`, the last of each name. @throws UserError */
export function settingsGiven(set: readonly string[]): Record<string, string | number | boolean> {
  return Object.fromEntries(set.map(parseSetting))
}

/** The same again on a command line, a space before each. */
export function settingWords(set: readonly string[]): string {
  return set.map((one) => ` --set ${shellQuote(one)}`).join('')
}

/** `--set a.b=value`: numbers and booleans are read as such, all else (and what stands in double quotes) as text. */
export function parseSetting(text: string): [path: string, value: string | number | boolean] {
  const at = text.indexOf('=')
  if (at < 1) throw new UserError(`--set takes name=value, such as --set seed=1, and not "${text}"`, 2)
  const [path, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  if (value === 'true' || value === 'false') return [path, value === 'true']
  if (/^[-+]?\.?\d/.test(value) && Number.isFinite(Number(value))) return [path, Number(value)]
  return [path, /^".*"$/.test(value) ? value.slice(1, -1) : value]
}
