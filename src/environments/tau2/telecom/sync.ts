import { compare } from '../python/arithmetic.ts'
import { isTruthy } from '../python/value.ts'
import { billsAwaitingPayment, setBillPaid } from './bills.ts'
import { customerByPhone } from './customers.ts'
import { lineByPhone, planById } from './records.ts'
import { surroundingsOf, type TelecomState } from './state.ts'
import { paymentRequestModel } from './usermodels.ts'

/**
 * Tells the user's side what the company's records mean for it, and the records what the user paid. Nothing happens until
 * the user has a phone number.
 * @throws PyError ValueError when the number is no line's
 */
export function syncTelecom(state: TelecomState): void {
  const surroundings = surroundingsOf(state)
  const phoneNumber = surroundings.phone_number
  if (phoneNumber === null) return
  const line = lineByPhone(state, phoneNumber)
  surroundings.line_active = line.status === 'Active'
  surroundings.roaming_allowed = line.roaming_enabled
  const allowance = planById(state, line.plan_id).data_limit_gb + line.data_refueling_gb
  surroundings.mobile_data_usage_exceeded = compare(line.data_used_gb, allowance, '>=') >= 0

  if (surroundings.payment_request !== null && isTruthy(surroundings.payment_request.paid)) {
    setBillPaid(state, surroundings.payment_request.bill_id)
    surroundings.payment_request = null
  }
  if (surroundings.payment_request !== null) return
  const [bill] = billsAwaitingPayment(state, customerByPhone(state, phoneNumber))
  if (!bill) return
  surroundings.payment_request = paymentRequestModel.of({ bill_id: bill.bill_id, amount_due: bill.total_due })
}
