import { PyError } from '../../python/errors.ts'
import { parseJson } from '../../python/json.ts'
import type { PyDict } from '../../python/value.ts'
import { bindArguments, resultText } from '../../tool.ts'
import { airline } from '../domain.ts'
import type { AirlineState } from '../state.ts'

/** A tool's message: the result, or an error marked so. */
export interface Answer {
  content: string
  error: boolean
}

/** Calls a tool as an environment does. */
export function call(state: AirlineState, name: string, given: PyDict): Answer {
  try {
    const one = airline.tools.tools.get(name)
    if (!one) throw new PyError('ValueError', `Tool '${name}' not found.`)
    return { content: resultText(one.call(state, ...bindArguments('AirlineTools', one, given))), error: false }
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    return { content: `Error: ${error.message}`, error: true }
  }
}

/** `call` with the arguments as JSON, which keeps `2` and `2.0` apart. */
export function callWith(state: AirlineState, name: string, json: string): string {
  return call(state, name, parseJson(json) as PyDict).content
}
