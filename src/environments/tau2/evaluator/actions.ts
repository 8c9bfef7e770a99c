import { equals, type PyDict } from '../python/value.ts'
import type { GoldAction } from '../tasks.ts'

interface NamedCall {
  name: string
  arguments: PyDict
}

/**
 * Whether a call is the gold action. Who made it does not count. Where the task names no arguments to compare, those of
 * the call are: an argument that it leaves out is not missed.
 */
function fits(gold: GoldAction, call: NamedCall): boolean {
  if (gold.name !== call.name) return false
  const compared = gold.compared ?? [...call.arguments.keys()]
  if (compared.length === 0) return true
  const only = (args: PyDict): PyDict => new Map([...args].filter(([key]) => compared.includes(key)))
  return equals(only(call.arguments), only(gold.arguments))
}

/** Of each gold action, whether some call is it. */
export function actionsMade(gold: readonly GoldAction[], calls: readonly NamedCall[]): boolean[] {
  return gold.map((action) => calls.some((call) => fits(action, call)))
}
