/**
 * The retail domain's data model. Names, order and descriptions of the fields are upstream's, for hashes, results and
 * schemas hold them (sierra-research/tau2-bench, MIT licence, Copyright Sierra Research).
 */
import { bool, dict, field, float, type InstanceOf, list, literal, Model, optional, str, union } from '../model.ts'

export const Variant = new Model(
  'Variant',
  {
    item_id: field(str, 'Unique identifier for the variant'),
    options: field(dict(str), "Dictionary of option names to values (e.g. {'color': 'blue', 'size': 'large'})"),
    available: field(bool, 'Whether this variant is currently in stock'),
    price: field(float, 'Price of this variant'),
  },
  { description: 'Represents a specific variant of a product with its options, availability and price' },
)

export const Product = new Model(
  'Product',
  {
    name: field(str, 'Name of the product'),
    product_id: field(str, 'Unique identifier for the product'),
    variants: field(dict(Variant), 'Dictionary of variants indexed by variant ID'),
  },
  { description: 'Represents a product with its variants' },
)

const UserName = new Model(
  'UserName',
  {
    first_name: field(str, "User's first name"),
    last_name: field(str, "User's last name"),
  },
  { description: "Represents a user's full name" },
)

export const UserAddress = new Model(
  'UserAddress',
  {
    address1: field(str, 'Primary address line'),
    address2: field(str, 'Secondary address line'),
    city: field(str, 'City name'),
    country: field(str, 'Country name'),
    state: field(str, 'State or province name'),
    zip: field(str, 'Postal code'),
  },
  { description: 'Represents a physical address' },
)

const CreditCard = new Model('CreditCard', {
  source: field(literal('credit_card'), 'Indicates this is a credit card payment method'),
  id: field(str, 'Unique identifier for the payment method'),
  brand: field(str, 'Credit card brand (e.g., visa, mastercard)'),
  last_four: field(str, 'Last four digits of the credit card'),
})

const Paypal = new Model('Paypal', {
  source: field(literal('paypal'), 'Indicates this is a paypal payment method'),
  id: field(str, 'Unique identifier for the payment method'),
})

export const GiftCard = new Model('GiftCard', {
  source: field(literal('gift_card'), 'Indicates this is a gift card payment method'),
  id: field(str, 'Unique identifier for the gift card'),
  balance: field(float, 'Gift card value amount'),
})

export const User = new Model(
  'User',
  {
    user_id: field(str, 'Unique identifier for the user'),
    name: field(UserName, "User's full name"),
    address: field(UserAddress, "User's primary address"),
    email: field(str, "User's email address"),
    payment_methods: field(
      dict(union(CreditCard, GiftCard, Paypal)),
      'Dictionary of payment methods indexed by payment method ID',
    ),
    orders: field(list(str), 'List of order IDs associated with this user'),
  },
  { description: 'Represents a user with their personal information, payment methods and order history' },
)

const OrderFulfilment = new Model(
  // Upstream's spelling: schemas show it.
  'OrderFullfilment',
  {
    tracking_id: field(list(str), 'List of tracking IDs for shipments'),
    item_ids: field(list(str), 'List of item IDs included in this fulfillment'),
  },
  { description: 'Represents the fulfillment details for items in an order' },
)

export const OrderItem = new Model(
  'OrderItem',
  {
    name: field(str, 'Name of the product'),
    product_id: field(str, 'ID of the product'),
    item_id: field(str, 'ID of the specific variant'),
    price: field(float, 'Price of the item at time of purchase'),
    options: field(dict(str), 'Options selected for this item'),
  },
  { description: 'Represents an item in an order' },
)

export const OrderPayment = new Model(
  'OrderPayment',
  {
    transaction_type: field(literal('payment', 'refund'), 'Type of transaction (payment or refund)'),
    amount: field(float, 'Amount of the transaction'),
    payment_method_id: field(str, 'ID of the payment method used'),
  },
  { description: 'Represents a payment or refund transaction for an order' },
)

export const Order = new Model(
  'Order',
  {
    order_id: field(str, 'Unique identifier for the order'),
    user_id: field(str, 'Unique identifier for the user'),
    address: field(UserAddress, 'Address of the user'),
    items: field(list(OrderItem), 'Items in the order'),
    status: field(
      literal(
        'processed',
        'pending',
        'pending (item modified)',
        'delivered',
        'cancelled',
        'exchange requested',
        'return requested',
      ),
      'Status of the order',
    ),
    fulfillments: field(list(OrderFulfilment), 'Fulfillments of the order'),
    payment_history: field(list(OrderPayment), 'Payments of the order'),
    cancel_reason: field(
      optional(literal('no longer needed', 'ordered by mistake')),
      "Reason for cancelling the order. Should be 'no longer needed' or 'ordered by mistake'",
      null,
    ),
    exchange_items: field(optional(list(str)), 'Items to be exchanged', null),
    exchange_new_items: field(optional(list(str)), 'Items exchanged for', null),
    exchange_payment_method_id: field(optional(str), 'Payment method ID for the exchange', null),
    exchange_price_difference: field(optional(float), 'Price difference for the exchange', null),
    return_items: field(optional(list(str)), 'Items to be returned', null),
    return_payment_method_id: field(optional(str), 'Payment method ID for the return', null),
  },
  { description: 'Represents an order with its items, status, fulfillment and payment details' },
)

export const RetailDb = new Model(
  'RetailDB',
  {
    products: field(dict(Product), 'Dictionary of all products indexed by product ID'),
    users: field(dict(User), 'Dictionary of all users indexed by user ID'),
    orders: field(dict(Order), 'Dictionary of all orders indexed by order ID'),
  },
  {
    description: 'Database containing all retail-related data including products, users and orders',
    forbidExtra: true,
  },
)

export type Variant = InstanceOf<typeof Variant>
export type Product = InstanceOf<typeof Product>
export type User = InstanceOf<typeof User>
export type GiftCard = InstanceOf<typeof GiftCard>
export type PaymentMethod = InstanceOf<typeof CreditCard> | GiftCard | InstanceOf<typeof Paypal>
export type OrderPayment = InstanceOf<typeof OrderPayment>
export type OrderItem = InstanceOf<typeof OrderItem>
export type Order = InstanceOf<typeof Order>
