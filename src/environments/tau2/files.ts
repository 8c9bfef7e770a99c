import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../core/index.ts'
import type { Fields, Instance, Model } from './model.ts'
import { PyError } from './python/errors.ts'
import { parseJson } from './python/json.ts'
import type { PyValue } from './python/value.ts'

/**
 * The text of a file in one of the domains' folders.
 * @throws UserError when it cannot be read
 */
export function readText(folder: string, name: string): string {
  const path = join(folder, name)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UserError(`${path} cannot be read (${(error as Error).message}): --data must hold upstream's domains`)
  }
}

/**
 * A JSON file, ints and floats kept apart.
 * @throws UserError when it cannot be read or is no JSON
 */
export function readJson(folder: string, name: string): PyValue {
  const text = readText(folder, name)
  try {
    return parseJson(text)
  } catch (error) {
    throw new UserError(`${join(folder, name)} is not JSON: ${(error as Error).message}`)
  }
}

/**
 * A value read from a file, as an instance of a model.
 * @throws UserError with the first thing that does not fit
 */
export function constructFrom<F extends Fields>(model: Model<F>, value: PyValue, file: string): Instance<F> {
  try {
    return model.construct(value)
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    const lines = error.message.split('\n')
    throw new UserError(`${file} is not a ${model.name}: ${lines[1]}: ${(lines[2] ?? '').trim()}`)
  }
}
