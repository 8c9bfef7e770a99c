import { list, str } from '../model.ts'
import { stringFor } from '../python/access.ts'
import { valueError } from '../python/errors.ts'
import { str as text } from '../python/number.ts'
import type { PyValue } from '../python/value.ts'
import { agentTool } from './described.ts'
import { type Customer, customerModel } from './models.ts'
import { customerById, lineById } from './records.ts'
import type { TelecomState } from './state.ts'

/**
 * The customer whom a number belongs to, as contact or as one of the lines.
 * @throws PyError ValueError when it is nobody's
 */
export function customerByPhone(state: TelecomState, phoneNumber: PyValue): Customer {
  for (const customer of state.db.value.customers) {
    if (customer.phone_number === phoneNumber) return customer
    for (const lineId of customer.line_ids) {
      if (lineById(state, lineId).phone_number === phoneNumber) return customer
    }
  }
  throw valueError(`Customer with phone number ${text(phoneNumber)} not found`)
}

export const customerTools = [
  agentTool('get_customer_by_phone', 'read', { phone_number: str }, customerModel, customerByPhone),
  agentTool('get_customer_by_id', 'read', { customer_id: str }, customerModel, customerById),
  agentTool('get_customer_by_name', 'read', { full_name: str, dob: str }, list(customerModel), (state, name, dob) =>
    state.db.value.customers.filter(
      (customer) =>
        customer.full_name.toLowerCase() === stringFor(name, 'lower').toLowerCase() && customer.date_of_birth === dob,
    ),
  ),
]
