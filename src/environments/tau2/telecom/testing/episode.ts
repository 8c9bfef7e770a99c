import { PyError } from '../../python/errors.ts'
import { parseJson } from '../../python/json.ts'
import { isDict, type PyDict, type PyValue } from '../../python/value.ts'
import { bindArguments, resultText } from '../../tool.ts'
import { telecom } from '../domain.ts'
import type { TelecomState } from '../state.ts'
import { syncTelecom } from '../sync.ts'

export type Side = 'assistant' | 'user'

function toolkitOf(side: Side) {
  return side === 'user' ? telecom.userTools! : telecom.tools
}

/** A tool's result, with nothing synchronised. */
export function useTool(state: TelecomState, side: Side, name: string, args: PyDict): PyValue {
  const { tools, className } = toolkitOf(side)
  const tool = tools.get(name)
  if (!tool) throw new PyError('ValueError', `Tool '${name}' not found.`)
  return tool.call(state, ...bindArguments(className, tool, args))
}

/** What a side's call is answered, and whether it failed. */
export function call(state: TelecomState, side: Side, name: string, args: PyDict): { content: string; error: boolean } {
  try {
    const result = useTool(state, side, name, args)
    syncTelecom(state)
    return { content: resultText(result), error: false }
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    return { content: `Error: ${error.message}`, error: true }
  }
}

/** A method of init actions and assertions. */
export function runMethod(state: TelecomState, side: Side, name: string, args: PyDict): PyValue {
  const { methods, className } = toolkitOf(side)
  const method = methods.get(name)
  if (!method) throw new Error(`no method ${name}`)
  const result = method.call(state, ...bindArguments(className, method, args))
  syncTelecom(state)
  return result
}

/** Arguments as JSON. */
export function args(json: string): PyDict {
  const value = parseJson(json)
  if (!isDict(value)) throw new Error(`no object: ${json}`)
  return value
}
