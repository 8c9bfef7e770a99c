import { any, dict, str } from '../model.ts'
import { contains, stringFor } from '../python/access.ts'
import { valueError } from '../python/errors.ts'
import { str as text } from '../python/number.ts'
import type { PyModel, PyValue } from '../python/value.ts'
import { agentTool } from './described.ts'
import type { Bill, Customer, Device, Line, Plan } from './models.ts'
import type { TelecomState } from './state.ts'

/** The first record with an id, for ids need not be unique; what is no text is nobody's id. */
function recordById<R extends PyModel, K extends keyof R>(records: readonly R[], key: K, kind: string, id: PyValue): R {
  for (const record of records) if ((record[key] as PyValue) === id) return record
  throw valueError(`${kind} with ID ${text(id)} not found`)
}

/** @throws PyError ValueError when there is none, as all of these */
export function customerById(state: TelecomState, id: PyValue): Customer {
  return recordById(state.db.value.customers, 'customer_id', 'Customer', id)
}

export function lineById(state: TelecomState, id: PyValue): Line {
  return recordById(state.db.value.lines, 'line_id', 'Line', id)
}

export function planById(state: TelecomState, id: PyValue): Plan {
  return recordById(state.db.value.plans, 'plan_id', 'Plan', id)
}

function deviceById(state: TelecomState, id: PyValue): Device {
  return recordById(state.db.value.devices, 'device_id', 'Device', id)
}

export function billById(state: TelecomState, id: PyValue): Bill {
  return recordById(state.db.value.bills, 'bill_id', 'Bill', id)
}

/** A line of one customer's. */
export function lineOfCustomer(state: TelecomState, customerId: PyValue, lineId: PyValue): Line {
  const customer = customerById(state, customerId)
  if (!contains(customer.line_ids, lineId)) {
    throw valueError(`Line ${text(lineId)} not found for customer ${text(customerId)}`)
  }
  return lineById(state, lineId)
}

export function lineByPhone(state: TelecomState, phoneNumber: PyValue): Line {
  for (const line of state.db.value.lines) if (line.phone_number === phoneNumber) return line
  throw valueError(`Line with phone number ${text(phoneNumber)} not found`)
}

/** The letter that ids of each kind of record begin with. */
const BY_LETTER: { readonly [letter: string]: (state: TelecomState, id: PyValue) => PyModel } = {
  L: lineById,
  D: deviceById,
  B: billById,
  C: customerById,
  P: planById,
}

export const recordTools = [
  agentTool('get_details_by_id', 'read', { id: str }, dict(any), (state, id) => {
    const find = BY_LETTER[stringFor(id, 'startswith').charAt(0)]
    if (!find) throw valueError(`Unknown ID format or type: ${text(id)}`)
    return find(state, id)
  }),
]
