import { compare } from '../python/arithmetic.ts'
import { roundFloat, toFloat } from '../python/number.ts'
import { GiftCard, type PaymentMethod } from './models.ts'
import { findPaymentMethod, type RetailState } from './state.ts'

/** Whether a gift card holds less than an amount; nothing else is ever short. */
export function isShort(method: PaymentMethod, amount: bigint | number): boolean {
  return isGiftCard(method) && compare(method.balance, amount) < 0
}

export function isGiftCard(method: PaymentMethod): method is GiftCard {
  return GiftCard.isExact(method)
}

/**
 * Adds to a user's gift card; other payment methods hold no money here.
 * @param amount below zero to take
 */
export function credit(state: RetailState, userId: string, methodId: string, amount: bigint | number): void {
  if (!isGiftCard(findPaymentMethod(state, userId, methodId))) return
  const user = state.db.tables.users.edit(userId)
  const card = user.payment_methods.get(methodId) as GiftCard
  card.balance = roundFloat(card.balance + toFloat(amount), 2)
}
