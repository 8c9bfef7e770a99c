import { any, field } from '../model.ts'
import { contains, stringFor } from '../python/access.ts'
import { absolute, compare, subtract } from '../python/arithmetic.ts'
import { valueError } from '../python/errors.ts'
import { repr, str as text } from '../python/number.ts'
import { equals, type PyValue } from '../python/value.ts'
import { type Method, method } from '../tool.ts'
import { isMobileDataWorking } from './device/connection.ts'
import { canSendMms } from './device/mms.ts'
import { measureSpeed } from './device/speed.ts'
import { billById, customerById, lineOfCustomer } from './records.ts'
import { phoneOf, surroundingsOf, type TelecomState } from './state.ts'
import { NETWORK_STATUSES } from './usermodels.ts'

/** What tasks assert of the company's records. */
export const agentAssertions = [
  method<TelecomState>(
    'assert_data_refueling_amount',
    ['customer_id', 'line_id', 'expected_amount'],
    (state, customerId, lineId, expected) =>
      absolute(subtract(lineOfCustomer(state, customerId, lineId).data_refueling_gb, expected)) < 1e-6,
  ),
  method<TelecomState>(
    'assert_line_status',
    ['customer_id', 'line_id', 'expected_status'],
    (state, customerId, lineId, expected) => equals(lineOfCustomer(state, customerId, lineId).status, expected),
  ),
  method<TelecomState>(
    'assert_overdue_bill_exists',
    ['customer_id', 'overdue_bill_id'],
    (state, customerId, billId) => {
      if (!contains(customerById(state, customerId).bill_ids, billId)) {
        throw valueError(`Overdue bill ${text(billId)} not found`)
      }
      if (billById(state, billId).status !== 'Overdue') throw valueError(`Overdue bill ${text(billId)} is not overdue`)
      return true
    },
  ),
  method<TelecomState>('assert_no_overdue_bill', ['overdue_bill_id'], (state, billId) => {
    const bill = state.db.value.bills.find((one) => one.bill_id === billId)
    return bill === undefined || bill.status === 'Paid'
  }),
]

/** An assertion that something is as expected. */
function assertStatus(name: string, actual: (state: TelecomState) => PyValue): Method<TelecomState> {
  return method(`assert_${name}`, ['expected_status'], (state, expected) => equals(actual(state), expected))
}

/** At least so fast, and of this description when one is given; no connection counts as no speed. */
const assertInternetSpeed: Method<TelecomState> = {
  name: 'assert_internet_speed',
  parameters: { expected_speed: field(any), expected_desc: field(any, undefined, null) },
  call(state, expected, description) {
    const speed = measureSpeed(state)
    const isFast = compare(speed?.mbps ?? 0, expected, '>=') >= 0
    if (!isFast || description === null) return isFast
    const actual = speed?.description ?? 'No Connection'
    return actual.toLowerCase() === stringFor(description, 'lower').toLowerCase()
  },
}

/** What tasks assert of the user's phone. */
export const userAssertions = [
  assertStatus('airplane_mode_status', (state) => phoneOf(state).airplane_mode),
  method<TelecomState>('assert_service_status', ['expected_status'], (state, expected) => {
    if (!(NETWORK_STATUSES as readonly PyValue[]).includes(expected)) {
      throw valueError(`${repr(expected)} is not a valid NetworkStatus`)
    }
    return phoneOf(state).network_connection_status === expected
  }),
  assertStatus('mobile_data_status', isMobileDataWorking),
  assertStatus('mobile_roaming_status', (state) => phoneOf(state).roaming_enabled),
  assertStatus('mobile_data_saver_mode_status', (state) => phoneOf(state).data_saver_mode),
  assertInternetSpeed,
  method<TelecomState>(
    'assert_internet_not_excellent',
    [],
    (state) => measureSpeed(state)?.description !== 'Excellent',
  ),
  assertStatus('can_send_mms', canSendMms),
  assertStatus('mobile_data_usage_exceeded', (state) => surroundingsOf(state).mobile_data_usage_exceeded),
]
