/**
 * Descriptions the retail tools share. What a model reads of the tools must be what upstream's models read, so that
 * these and the descriptions beside the tools are upstream's (sierra-research/tau2-bench, MIT licence, Copyright
 * Sierra Research).
 */
import { type Fields, field, str } from '../model.ts'

export const ORDER_ID = field(
  str,
  "The order id, such as '#W0000000'. Be careful there is a '#' symbol at the beginning of the order id.",
)

export const USER_ID = field(str, "The user id, such as 'sara_doe_496'.")

export const PAYMENT_METHOD_ID = field(
  str,
  'The payment method id to pay or receive refund for the item price difference, such as ' +
    "'gift_card_0000000' or 'credit_card_0000000'. These can be looked up from the user or order details.",
)

export const ADDRESS: Fields = {
  address1: field(str, "The first line of the address, such as '123 Main St'."),
  address2: field(str, "The second line of the address, such as 'Apt 1' or ''."),
  city: field(str, "The city, such as 'San Francisco'."),
  state: field(str, "The state, such as 'CA'."),
  country: field(str, "The country, such as 'USA'."),
  zip: field(str, "The zip code, such as '12345'."),
}

/** A sentence several tools end with. */
export const ASK_FIRST =
  'The agent needs to explain the modification detail and ask for explicit user confirmation (yes/no) to proceed.'
