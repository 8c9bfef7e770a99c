import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Tau2World } from '../environment.ts'
import { parseJson } from '../python/json.ts'
import type { PyDict, PyValue } from '../python/value.ts'
import { retail } from './domain.ts'

const data = retail.load(join(import.meta.dirname, '..', 'testing', 'tiny', 'domains', 'retail'))

/** Calls one after another in one world; each is a name and arguments as JSON. */
function play(...calls: [string, string][]): { world: Tau2World<ReturnType<typeof data.open>>; contents: string[] } {
  const world = new Tau2World(retail, data)
  const contents = calls.map(([name, args]) => world.call('assistant', name, parseJson(args) as PyDict).content)
  return { world, contents }
}

const last = (...calls: [string, string][]): string => play(...calls).contents[calls.length - 1]
const changed = (...calls: [string, string][]): Record<string, PyValue> =>
  Object.fromEntries(
    play(...calls)
      .world.state.db.changes()
      .map(({ path, value }) => [path, value ?? null]),
  )

const payments = (...rows: [string, number, string][]): PyValue[] =>
  rows.map(
    ([transaction_type, amount, payment_method_id]) =>
      new Map<string, PyValue>(Object.entries({ transaction_type, amount, payment_method_id })),
  )

describe('the shop', () => {
  it('has the hash that Python gives it', () => {
    expect(data.open().db.hash()).toBe('bd57d895671f8dd200eccd5af11dc969b0de1aed8b199b954b825ffd677a1744')
  })

  it('finds people by name, zip and email, whatever the case', () => {
    expect(last(['find_user_id_by_name_zip', '{"first_name": "IDA", "last_name": "moor", "zip": "04001"}'])).toBe(
      'ida_moor_1',
    )
    expect(last(['find_user_id_by_email', '{"email": "OLU.ade@example.com"}'])).toBe('olu_ade_2')
    // The last name is not looked at where the first one does not fit.
    expect(last(['find_user_id_by_name_zip', '{"first_name": "Eve", "last_name": null, "zip": 1}'])).toBe(
      'Error: User not found',
    )
  })

  it('shows things in the order of the data, and prices as floats', () => {
    expect(last(['get_product_details', '{"product_id": "9000000002"}'])).toBe(
      '{"name": "Mug", "product_id": "9000000002", "variants": {"7000000003": {"item_id": "7000000003", "options": ' +
        '{"colour": "red"}, "available": true, "price": 12.5}, "1000000001": {"item_id": "1000000001", "options": ' +
        '{"colour": "blue"}, "available": true, "price": 10.0}, "1000000002": {"item_id": "1000000002", "options": ' +
        '{"colour": "gr\\u00fcn"}, "available": false, "price": 8.25}}}',
    )
    expect(last(['list_all_product_types', '{}'])).toBe('{"Lamp": "1000000009", "Mug": "9000000002"}')
    expect(last(['get_item_details', '{"item_id": "2000000002"}'])).toContain('"price": 44.35')
  })

  it('gives every changed item the price and options of the last: upstream does', () => {
    const order =
      '{"order_id": "#W2", "item_ids": ["1000000001", "2000000001"], "new_item_ids": ["7000000003", "2000000002"], ' +
      '"payment_method_id": "gift_card_1"}'
    expect(last(['modify_pending_order_items', order])).toContain(
      '"item_id": "7000000003", "price": 44.35, "options": {"size": "large"}',
    )
    const changes = changed(['modify_pending_order_items', order])
    expect(changes['/users/ida_moor_1/payment_methods/gift_card_1/balance']).toBe(33.25)
    expect(changes['/orders/#W2/payment_history']).toEqual(
      payments(['payment', 40.1, 'gift_card_1'], ['payment', 16.75, 'gift_card_1']),
    )
    expect(last(['modify_pending_order_items', order], ['modify_pending_order_items', order])).toBe(
      'Error: Non-pending order cannot be modified',
    )
  })

  it('takes lists of no items, as upstream does', () => {
    const none = '{"order_id": "#W2", "item_ids": [], "new_item_ids": "", "payment_method_id": "gift_card_1"}'
    expect(last(['modify_pending_order_items', none])).toContain(
      '{"transaction_type": "refund", "amount": 0.0, "payment_method_id": "gift_card_1"}',
    )
    const exchange = '{"order_id": "#W1", "item_ids": {}, "new_item_ids": [], "payment_method_id": "credit_card_1"}'
    // An int, for nothing was added to it.
    expect(changed(['exchange_delivered_order_items', exchange])).toMatchObject({
      '/orders/#W1/exchange_price_difference': 0n,
      '/orders/#W1/exchange_items': [],
    })
  })

  it('notes an exchange and moves no money', () => {
    const exchange =
      '{"order_id": "#W1", "item_ids": ["2000000001"], "new_item_ids": ["2000000002"], "payment_method_id": "gift_card_1"}'
    expect(changed(['exchange_delivered_order_items', exchange])).toEqual({
      '/orders/#W1/exchange_items': ['2000000001'],
      '/orders/#W1/exchange_new_items': ['2000000002'],
      '/orders/#W1/exchange_payment_method_id': 'gift_card_1',
      '/orders/#W1/exchange_price_difference': 14.25,
      '/orders/#W1/status': 'exchange requested',
    })
  })

  it('cancels, and credits gift cards at once', () => {
    const cancel = '{"order_id": "#W2", "reason": "no longer needed"}'
    expect(changed(['cancel_pending_order', cancel])).toEqual({
      '/orders/#W2/cancel_reason': 'no longer needed',
      '/orders/#W2/payment_history': payments(['payment', 40.1, 'gift_card_1'], ['refund', 40.1, 'gift_card_1']),
      '/orders/#W2/status': 'cancelled',
      '/users/ida_moor_1/payment_methods/gift_card_1/balance': 90.1,
    })
  })

  it('changes the payment: pays anew, then gives back', () => {
    const pay = '{"order_id": "#W2", "payment_method_id": "credit_card_1"}'
    expect(changed(['modify_pending_order_payment', pay])).toEqual({
      '/orders/#W2/payment_history': payments(
        ['payment', 40.1, 'gift_card_1'],
        ['payment', 40.1, 'credit_card_1'],
        ['refund', 40.1, 'gift_card_1'],
      ),
      '/users/ida_moor_1/payment_methods/gift_card_1/balance': 90.1,
    })
  })

  it('takes returns to the first payment method or a gift card', () => {
    const back = (method: string) => `{"order_id": "#W1", "item_ids": ["2000000001"], "payment_method_id": "${method}"}`
    expect(changed(['return_delivered_order_items', back('gift_card_1')])).toEqual({
      '/orders/#W1/return_items': ['2000000001'],
      '/orders/#W1/return_payment_method_id': 'gift_card_1',
      '/orders/#W1/status': 'return requested',
    })
    expect(last(['return_delivered_order_items', back('paypal_2')])).toBe('Error: Payment method not found')
  })

  it('changes addresses, of orders whose items were changed too', () => {
    const address =
      '"address1": "3 Hill", "address2": "", "city": "Elm", "state": "ME", "country": "USA", "zip": "04009"}'
    expect(Object.keys(changed(['modify_user_address', `{"user_id": "olu_ade_2", ${address}`]))).toEqual([
      '/users/olu_ade_2/address/address1',
      '/users/olu_ade_2/address/address2',
      '/users/olu_ade_2/address/zip',
    ])
    const swap =
      '{"order_id": "#W2", "item_ids": ["1000000001"], "new_item_ids": ["7000000003"], "payment_method_id": "credit_card_1"}'
    expect(
      last(['modify_pending_order_items', swap], ['modify_pending_order_address', `{"order_id": "#W2", ${address}`]),
    ).toContain('"address1": "3 Hill"')
  })

  const swapArgs = (items: string, news: string, method = '"gift_card_1"') =>
    `{"order_id": "#W2", "item_ids": ${items}, "new_item_ids": ${news}, "payment_method_id": ${method}}`
  it.each([
    ['get_order_details', '{"order_id": ["#W1"]}', "unhashable type: 'list'"],
    ['get_order_details', '{"order_id": 1}', 'Order not found'],
    ['cancel_pending_order', '{"order_id": "#W2", "reason": {}}', "unhashable type: 'dict'"],
    ['cancel_pending_order', '{"order_id": "#W2", "reason": "bored"}', 'Invalid reason'],
    ['cancel_pending_order', '{"order_id": "#W1", "reason": 1}', 'Non-pending order cannot be cancelled'],
    ['modify_pending_order_items', swapArgs('"zz"', '[]'), 'z not found'],
    ['modify_pending_order_items', swapArgs('[1.0]', '[]'), '1.0 not found'],
    ['modify_pending_order_items', swapArgs('5', '[]'), "'int' object is not iterable"],
    ['modify_pending_order_items', swapArgs('{"a": 1}', '[]'), "'dict' object has no attribute 'count'"],
    ['modify_pending_order_items', swapArgs('[]', 'null'), "object of type 'NoneType' has no len()"],
    ['modify_pending_order_items', swapArgs('["1000000001"]', '[["x"]]'), "unhashable type: 'list'"],
    ['modify_pending_order_items', swapArgs('["1000000001"]', '["2000000001"]'), 'Variant not found'],
    [
      'modify_pending_order_items',
      swapArgs('["1000000001"]', '["1000000002"]'),
      'New item 1000000002 not found or available',
    ],
    [
      'modify_pending_order_items',
      swapArgs('["1000000001"]', '["1000000001"]'),
      'The new item id should be different from the old item id',
    ],
    [
      'modify_pending_order_items',
      swapArgs('["1000000001"]', '["7000000003"]', '"paypal_2"'),
      'Payment method not found',
    ],
    [
      'modify_pending_order_payment',
      '{"order_id": "#W3", "payment_method_id": "gift_card_1"}',
      'Payment method not found',
    ],
    [
      'modify_pending_order_address',
      '{"order_id": "#W2", "address1": 1, "address2": "", "city": "c", "state": "s", "country": "c", "zip": 4001}',
      '2 validation errors for UserAddress\naddress1\n  Input should be a valid string [type=string_type, ' +
        'input_value=1, input_type=int]\n    For further information visit ' +
        'https://errors.pydantic.dev/2.13/v/string_type\nzip\n  Input should be a valid string [type=string_type, ' +
        'input_value=4001, input_type=int]\n    For further information visit ' +
        'https://errors.pydantic.dev/2.13/v/string_type',
    ],
  ])('%s(%s) fails as upstream does', (name, args, message) => {
    expect(last([name, args])).toBe(`Error: ${message}`)
  })
})
