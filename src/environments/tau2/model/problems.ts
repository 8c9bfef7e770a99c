import { PyError } from '../python/errors.ts'
import { repr } from '../python/number.ts'
import { type PyValue, typeName } from '../python/value.ts'

/** Where in the input a problem is: field names, keys, list indices, and the members of a union. */
export type Location = readonly (string | number)[]

/** One thing wrong with an input, in pydantic's words. */
export interface Problem {
  at: Location
  type: string
  message: string
  input: PyValue
}

/** The version in the links that pydantic's messages end with. */
const PYDANTIC = '2.13'

const LONGEST_INPUT = 50

/** The input as pydantic shows it: of a long one, the beginning and the end. */
function shownInput(value: PyValue): string {
  const characters = [...repr(value)]
  if (characters.length <= LONGEST_INPUT) return characters.join('')
  const half = Math.floor(LONGEST_INPUT / 2)
  return `${characters.slice(0, half).join('')}...${characters.slice(characters.length - (half - 1)).join('')}`
}

/**
 * The error pydantic raises for the problems of one construction.
 * @param title name of the model that was to be made
 */
export function validationError(title: string, problems: readonly Problem[]): PyError {
  const count = `${problems.length} validation error${problems.length === 1 ? '' : 's'} for ${title}`
  const parts = problems.map(({ at, type, message, input }) => {
    const where = at.length > 0 ? `${at.join('.')}\n` : ''
    return (
      `${where}  ${message} [type=${type}, input_value=${shownInput(input)}, input_type=${typeName(input)}]\n` +
      `    For further information visit https://errors.pydantic.dev/${PYDANTIC}/v/${type}`
    )
  })
  return new PyError('ValidationError', [count, ...parts].join('\n'))
}
