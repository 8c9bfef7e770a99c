import { join } from 'node:path'
import { parse, TomlDate, TomlError, type TomlValue } from 'smol-toml'
import { UserError } from '../../../core/index.ts'
import { readText } from '../files.ts'
import { PyDate } from '../python/date.ts'
import type { PyValue } from '../python/value.ts'

/** A value of the parser's as Python's would have it: ints came as bigint, floats as number. */
function toPython(value: TomlValue, file: string): PyValue {
  if (Array.isArray(value)) return value.map((item) => toPython(item, file))
  if (value instanceof TomlDate) {
    if (value.isDate()) return PyDate.date(value.toISOString())
    if (value.isDateTime() && value.isLocal()) return PyDate.datetime(value.toISOString().slice(0, 19))
    throw new UserError(`${file} holds the time ${value.toISOString()}: write a date, or a datetime without zone`)
  }
  if (typeof value !== 'object') return value
  return new Map(Object.entries(value).map(([key, item]) => [key, toPython(item, file)]))
}

/**
 * A TOML file, ints and floats kept apart.
 * @throws UserError when it cannot be read or is no TOML
 */
export function readToml(folder: string, name: string): PyValue {
  const file = join(folder, name)
  const text = readText(folder, name)
  try {
    return toPython(parse(text, { integersAsBigInt: true }), file)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new UserError(`${file}:${error.line} is not TOML: ${error.message.split('\n')[0]}`)
  }
}
