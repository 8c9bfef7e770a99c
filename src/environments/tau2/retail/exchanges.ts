import { field, list, str } from '../model.ts'
import { count, iterate, length } from '../python/access.ts'
import { absolute, add, compare, sorted, subtract } from '../python/arithmetic.ts'
import { PyError, valueError } from '../python/errors.ts'
import { round, str as text } from '../python/number.ts'
import { equals, type PyValue } from '../python/value.ts'
import { tool } from '../tool.ts'
import { Order, type OrderItem, OrderPayment, type Variant } from './models.ts'
import { credit, isGiftCard, isShort } from './money.ts'
import { findOrder, findPaymentMethod, findUser, findVariant, type RetailState } from './state.ts'
import { ORDER_ID, PAYMENT_METHOD_ID } from './texts.ts'

/**
 * Checks that an order holds each item as often as it is named.
 * @param message for the first that it does not
 */
function checkItems(order: Order, itemIds: PyValue, message: (id: PyValue) => string): void {
  const all = order.items.map((item) => item.item_id)
  for (const id of iterate(itemIds)) if (count(itemIds, id) > count(all, id)) throw valueError(message(id))
}

function findOrderItem(order: Order, id: PyValue): OrderItem {
  const item = order.items.find((one) => equals(one.item_id, id))
  if (!item) throw valueError(`Item ${text(id)} not found`)
  return item
}

/** `zip` of two lists of one length. */
function pairs(left: PyValue, right: PyValue): [PyValue, PyValue][] {
  const others = iterate(right)
  return iterate(left).map((one, index) => [one, others[index]])
}

interface Swap {
  /** What the new items cost more; an int 0 where there are none. */
  difference: bigint | number
  lastVariant: Variant | undefined
}

/** Checks the new item of every old one, and adds up the differences of price. */
function priceSwap(state: RetailState, order: Order, swaps: [PyValue, PyValue][], refuseSame: boolean): Swap {
  let difference: bigint | number = 0n
  let lastVariant: Variant | undefined
  for (const [id, newId] of swaps) {
    if (refuseSame && equals(id, newId)) {
      throw valueError('The new item id should be different from the old item id')
    }
    const item = findOrderItem(order, id)
    lastVariant = findVariant(state, item.product_id, newId)
    if (!lastVariant.available) throw valueError(`New item ${text(newId)} not found or available`)
    difference = add(difference, subtract(lastVariant.price, item.price)) as bigint | number
  }
  return { difference, lastVariant }
}

export const EXCHANGE_DELIVERED_ORDER_ITEMS = tool<RetailState>({
  name: 'exchange_delivered_order_items',
  kind: 'write',
  description:
    'Exchange items in a delivered order to new items of the same product type.\n\n' +
    'For a delivered order, return or exchange can be only done once by the agent.\n' +
    'The agent needs to explain the exchange detail and ask for explicit user confirmation (yes/no) to proceed.',
  parameters: {
    order_id: ORDER_ID,
    item_ids: field(
      list(str),
      "The item ids to be exchanged, each such as '1008292230'. There could be duplicate items in the list.",
    ),
    new_item_ids: field(
      list(str),
      "The item ids to be exchanged for, each such as '1008292230'.\n" +
        'There could be duplicate items in the list. Each new item id should match the item id\n' +
        'in the same position and be of the same product.',
    ),
    payment_method_id: field(
      str,
      'The payment method id to pay or receive refund for the item price difference,\n' +
        "such as 'gift_card_0000000' or 'credit_card_0000000'. These can be looked up\n" +
        'from the user or order details.',
    ),
  },
  returns: field(Order, 'The order details after the exchange.'),
  call(state, orderId, itemIds, newItemIds, methodId) {
    const order = findOrder(state, orderId)
    if (order.status !== 'delivered') throw valueError('Non-delivered order cannot be exchanged')
    checkItems(order, itemIds, (id) => `Number of ${text(id)} not found.`)
    if (length(itemIds) !== length(newItemIds)) {
      throw valueError('The number of items to be exchanged should match.')
    }
    const difference = round(priceSwap(state, order, pairs(itemIds, newItemIds), false).difference, 2)
    if (isShort(findPaymentMethod(state, order.user_id, methodId), difference)) {
      throw valueError('Insufficient gift card balance to pay for the price difference')
    }
    // No money moves: upstream only notes the difference.
    const own = state.db.tables.orders.edit(orderId as string)
    own.status = 'exchange requested'
    own.exchange_items = sorted(iterate(itemIds)) as string[]
    own.exchange_new_items = sorted(iterate(newItemIds)) as string[]
    own.exchange_payment_method_id = methodId as string
    own.exchange_price_difference = difference as number
    return own
  },
})

export const RETURN_DELIVERED_ORDER_ITEMS = tool<RetailState>({
  name: 'return_delivered_order_items',
  kind: 'write',
  description:
    "Return some items of a delivered order.\n\nThe order status will be changed to 'return requested'.\n" +
    'The agent needs to explain the return detail and ask for explicit user confirmation (yes/no) to proceed.\n' +
    'The user will receive follow-up email for how and where to return the item.',
  parameters: {
    order_id: ORDER_ID,
    item_ids: field(
      list(str),
      "The item ids to be returned, each such as '1008292230'. There could be duplicate items in the list.",
    ),
    payment_method_id: field(
      str,
      'The payment method id to pay or receive refund for the item price difference, such as ' +
        "'gift_card_0000000' or 'credit_card_0000000'.\nThese can be looked up from the user or order details.",
    ),
  },
  returns: field(Order, 'The order details after requesting the return.'),
  call(state, orderId, itemIds, methodId) {
    const order = findOrder(state, orderId)
    if (order.status !== 'delivered') throw valueError('Non-delivered order cannot be returned')
    const method = findPaymentMethod(state, findUser(state, order.user_id).user_id, methodId)
    if (!isGiftCard(method) && !equals(methodId, firstPayment(order).payment_method_id)) {
      throw valueError('Payment method should be the original payment method')
    }
    checkItems(order, itemIds, () => 'Some item not found')
    const own = state.db.tables.orders.edit(orderId as string)
    own.status = 'return requested'
    own.return_items = sorted(iterate(itemIds)) as string[]
    own.return_payment_method_id = methodId as string
    return own
  },
})

export const MODIFY_PENDING_ORDER_ITEMS = tool<RetailState>({
  name: 'modify_pending_order_items',
  kind: 'write',
  description:
    'Modify items in a pending order to new items of the same product type. For a pending order, this function can ' +
    'only be called once. The agent needs to explain the exchange detail and ask for explicit user confirmation ' +
    '(yes/no) to proceed.',
  parameters: {
    order_id: ORDER_ID,
    item_ids: field(
      list(str),
      "The item ids to be modified, each such as '1008292230'. There could be duplicate items in the list.",
    ),
    new_item_ids: field(
      list(str),
      "The item ids to be modified for, each such as '1008292230'. There could be duplicate items in the list. " +
        'Each new item id should match the item id in the same position and be of the same product.',
    ),
    payment_method_id: PAYMENT_METHOD_ID,
  },
  returns: field(Order, 'The order details after the modification.'),
  call(state, orderId, itemIds, newItemIds, methodId) {
    const order = findOrder(state, orderId)
    if (order.status !== 'pending') throw valueError('Non-pending order cannot be modified')
    checkItems(order, itemIds, (id) => `${text(id)} not found`)
    if (length(itemIds) !== length(newItemIds)) throw valueError('The number of items to be exchanged should match')
    const swaps = pairs(itemIds, newItemIds)
    const { difference, lastVariant } = priceSwap(state, order, swaps, true)
    if (isShort(findPaymentMethod(state, order.user_id, methodId), difference)) {
      throw valueError('Insufficient gift card balance to pay for the new item')
    }
    const own = state.db.tables.orders.edit(orderId as string)
    own.payment_history.push(
      OrderPayment.of({
        transaction_type: compare(difference, 0n) > 0 ? 'payment' : 'refund',
        // Upstream does not round it here, as it does in an exchange.
        amount: absolute(difference),
        payment_method_id: methodId,
      }),
    )
    credit(state, order.user_id, methodId as string, -difference)
    for (const [id, newId] of swaps) {
      const item = findOrderItem(own, id)
      item.item_id = newId as string
      // Upstream's bug, kept for it decides rewards: all items get price and options of the last one's variant.
      item.price = lastVariant!.price
      item.options = lastVariant!.options
    }
    own.status = 'pending (item modified)'
    return own
  },
})

/** @throws PyError IndexError for an order that was never paid */
function firstPayment(order: Order): OrderPayment {
  const payment = order.payment_history[0]
  if (!payment) throw new PyError('IndexError', 'list index out of range')
  return payment
}
