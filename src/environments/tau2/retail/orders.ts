import { field, str } from '../model.ts'
import { valueError } from '../python/errors.ts'
import { asKey, equals } from '../python/value.ts'
import { tool } from '../tool.ts'
import { Order, OrderPayment, User, UserAddress } from './models.ts'
import { credit, isShort } from './money.ts'
import { findOrder, findPaymentMethod, findUser, type RetailState } from './state.ts'
import { ADDRESS, ASK_FIRST, ORDER_ID, PAYMENT_METHOD_ID, USER_ID } from './texts.ts'

const REASONS = ['no longer needed', 'ordered by mistake'] as const

/** Not the same as being in status "pending": one whose items were modified is pending too. */
function isPending(order: Order): boolean {
  return order.status.includes('pending')
}

export const CANCEL_PENDING_ORDER = tool<RetailState>({
  name: 'cancel_pending_order',
  kind: 'write',
  description:
    'Cancel a pending order. If the order is already processed or delivered,\n\n' +
    'it cannot be cancelled. The agent needs to explain the cancellation detail\n' +
    'and ask for explicit user confirmation (yes/no) to proceed. If the user confirms,\n' +
    "the order status will be changed to 'cancelled' and the payment will be refunded.\n" +
    "The refund will be added to the user's gift card balance immediately if the payment\n" +
    'was made using a gift card, otherwise the refund would take 5-7 business days to process.\n' +
    'The function returns the order details after the cancellation.',
  parameters: {
    order_id: ORDER_ID,
    reason: field(
      str,
      "The reason for cancellation, which should be either 'no longer needed' or 'ordered by mistake'.",
    ),
  },
  returns: field(Order, 'The order details after the cancellation.'),
  call(state, orderId, given) {
    const order = findOrder(state, orderId)
    if (order.status !== 'pending') throw valueError('Non-pending order cannot be cancelled')
    const wanted = asKey(given)
    const reason = REASONS.find((one) => one === wanted)
    if (!reason) throw valueError('Invalid reason')
    const refunds = order.payment_history.map(({ amount, payment_method_id }) => {
      // Of an earlier payment the money is back even where a later one cannot be refunded.
      credit(state, order.user_id, payment_method_id, amount)
      return OrderPayment.of({ transaction_type: 'refund', amount, payment_method_id })
    })
    const own = state.db.tables.orders.edit(orderId as string)
    own.status = 'cancelled'
    own.cancel_reason = reason
    own.payment_history.push(...refunds)
    return own
  },
})

export const MODIFY_PENDING_ORDER_ADDRESS = tool<RetailState>({
  name: 'modify_pending_order_address',
  kind: 'write',
  description: `Modify the shipping address of a pending order. ${ASK_FIRST}`,
  parameters: { order_id: ORDER_ID, ...ADDRESS },
  returns: field(Order, 'The order details after the modification.'),
  call(state, orderId, address1, address2, city, region, country, zip) {
    const order = findOrder(state, orderId)
    if (!isPending(order)) throw valueError('Non-pending order cannot be modified')
    const address = UserAddress.of({ address1, address2, city, state: region, country, zip })
    const own = state.db.tables.orders.edit(orderId as string)
    own.address = address
    return own
  },
})

export const MODIFY_PENDING_ORDER_PAYMENT = tool<RetailState>({
  name: 'modify_pending_order_payment',
  kind: 'write',
  description: `Modify the payment method of a pending order. ${ASK_FIRST}`,
  parameters: { order_id: ORDER_ID, payment_method_id: PAYMENT_METHOD_ID },
  returns: field(Order, 'The order details after the modification.'),
  call(state, orderId, methodId) {
    const order = findOrder(state, orderId)
    if (!isPending(order)) throw valueError('Non-pending order cannot be modified')
    const method = findPaymentMethod(state, order.user_id, methodId)
    const [first] = order.payment_history
    if (order.payment_history.length !== 1 || first.transaction_type !== 'payment') {
      throw valueError('There should be exactly one payment for a pending order')
    }
    if (equals(first.payment_method_id, methodId)) {
      throw valueError('The new payment method should be different from the current one')
    }
    const { amount } = first
    if (isShort(method, amount)) throw valueError('Insufficient gift card balance to pay for the order')
    const own = state.db.tables.orders.edit(orderId as string)
    own.payment_history.push(
      OrderPayment.of({ transaction_type: 'payment', amount, payment_method_id: methodId }),
      OrderPayment.of({ transaction_type: 'refund', amount, payment_method_id: first.payment_method_id }),
    )
    credit(state, order.user_id, methodId as string, -amount)
    credit(state, order.user_id, first.payment_method_id, amount)
    return own
  },
})

export const MODIFY_USER_ADDRESS = tool<RetailState>({
  name: 'modify_user_address',
  kind: 'write',
  description: `Modify the default address of a user. ${ASK_FIRST}`,
  parameters: { user_id: USER_ID, ...ADDRESS },
  returns: field(User, 'The user details after the modification.'),
  call(state, userId, address1, address2, city, region, country, zip) {
    findUser(state, userId)
    const address = UserAddress.of({ address1, address2, city, state: region, country, zip })
    const own = state.db.tables.users.edit(userId as string)
    own.address = address
    return own
  },
})
