import { valueAt } from '../python/access.ts'
import { compare, subtract } from '../python/arithmetic.ts'
import { valueError } from '../python/errors.ts'
import { equals, type PyValue } from '../python/value.ts'
import { Payment, type User } from './models.ts'
import { type AirlineState, userOf } from './state.ts'

/** Of a bag beyond the free ones. */
export const BAGGAGE_PRICE = 50n

type PaymentMethod = User['payment_methods'] extends Map<string, infer M> ? M : never

/** A method that holds money of its own, and so can run out of it. */
type Balance = Extract<PaymentMethod, { amount: number }>

/** Whether a method holds money of its own. */
export function hasBalance(method: PaymentMethod): method is Balance {
  return method.source !== 'credit_card'
}

/** Takes an amount from a gift card; a negative one is credited. */
export function charge(card: Balance, amount: PyValue): void {
  card.amount = Number(subtract(card.amount, amount, '-='))
}

/**
 * Settles what a changed reservation costs.
 *
 * @param owner of the reservation
 * @param total negative to give back, which upstream does to a gift card only
 * @returns the payment for the reservation's history, null when nothing is due
 * @throws PyError ValueError when the method cannot pay; ValidationError for a total that is not whole,
 *   after the gift card was charged, as upstream does
 */
export function settle(state: AirlineState, owner: PyValue, paymentId: PyValue, total: PyValue): Payment | null {
  const method = valueAt(userOf(state, owner).payment_methods, paymentId)
  if (!method) throw valueError('Payment method not found')
  if (method.source === 'certificate') throw valueError('Certificate cannot be used to update reservation')
  if (method.source === 'gift_card' && compare(method.amount, total) < 0) {
    throw valueError('Gift card balance is not enough')
  }
  if (equals(total, 0n)) return null
  if (method.source === 'gift_card') {
    const methods = state.db.tables.users.edit(owner as string).payment_methods
    charge(methods.get(paymentId as string) as Balance, total)
  }
  return Payment.of({ payment_id: paymentId, amount: total })
}
