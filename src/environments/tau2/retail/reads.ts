import { field, str } from '../model.ts'
import { stringFor } from '../python/access.ts'
import { valueError } from '../python/errors.ts'
import { dumps } from '../python/json.ts'
import { equals } from '../python/value.ts'
import { tool } from '../tool.ts'
import { Order, Product, User, Variant } from './models.ts'
import { findItem, findOrder, findProduct, findUser, type RetailState } from './state.ts'
import { ORDER_ID, USER_ID } from './texts.ts'

export const FIND_USER_ID_BY_NAME_ZIP = tool<RetailState>({
  name: 'find_user_id_by_name_zip',
  kind: 'read',
  description:
    'Find user id by first name, last name, and zip code. If the user is not found, the function\n\n' +
    'will return an error message. By default, find user id by email, and only call this function\n' +
    'if the user is not found by email or cannot remember email.',
  parameters: {
    first_name: field(str, "The first name of the customer, such as 'John'."),
    last_name: field(str, "The last name of the customer, such as 'Doe'."),
    zip: field(str, "The zip code of the customer, such as '12345'."),
  },
  returns: field(str, 'The user id if found, otherwise an error message.'),
  call({ db }, firstName, lastName, zip) {
    const first = stringFor(firstName, 'lower').toLowerCase()
    for (const [id, { name, address }] of db.tables.users.entries()) {
      if (name.first_name.toLowerCase() !== first) continue
      // The last name is looked at only where the first one fits, even when it is no text.
      if (name.last_name.toLowerCase() !== stringFor(lastName, 'lower').toLowerCase()) continue
      if (equals(address.zip, zip)) return id
    }
    throw valueError('User not found')
  },
})

export const FIND_USER_ID_BY_EMAIL = tool<RetailState>({
  name: 'find_user_id_by_email',
  kind: 'read',
  description: 'Find user id by email. If the user is not found, the function will return an error message.',
  parameters: { email: field(str, "The email of the user, such as 'something@example.com'.") },
  returns: field(str, 'The user id if found, otherwise an error message.'),
  call({ db }, email) {
    const wanted = stringFor(email, 'lower').toLowerCase()
    for (const [id, user] of db.tables.users.entries()) if (user.email.toLowerCase() === wanted) return id
    throw valueError('User not found')
  },
})

export const GET_ORDER_DETAILS = tool<RetailState>({
  name: 'get_order_details',
  kind: 'read',
  description: 'Get the status and details of an order.',
  parameters: { order_id: ORDER_ID },
  returns: field(Order, 'The order details.'),
  call: findOrder,
})

export const GET_PRODUCT_DETAILS = tool<RetailState>({
  name: 'get_product_details',
  kind: 'read',
  description: 'Get the inventory details of a product.',
  parameters: {
    product_id: field(
      str,
      "The product id, such as '6086499569'. Be careful the product id is different from the item id.",
    ),
  },
  returns: field(Product, 'The product details.'),
  call: findProduct,
})

export const GET_ITEM_DETAILS = tool<RetailState>({
  name: 'get_item_details',
  kind: 'read',
  description: 'Get the inventory details of an item.',
  parameters: {
    item_id: field(str, "The item id, such as '6086499569'. Be careful the item id is different from the product id."),
  },
  returns: field(Variant, 'The item details.'),
  call: findItem,
})

export const GET_USER_DETAILS = tool<RetailState>({
  name: 'get_user_details',
  kind: 'read',
  description: 'Get the details of a user, including their orders.',
  parameters: { user_id: USER_ID },
  returns: field(User, 'The user details.'),
  call: findUser,
})

export const LIST_ALL_PRODUCT_TYPES = tool<RetailState>({
  name: 'list_all_product_types',
  kind: 'read',
  description:
    'List the name and product id of all product types.\n\n' +
    'Each product type has a variety of different items with unique item ids and options.\n' +
    'There are only 50 product types in the store.',
  returns: field(str, 'A JSON string mapping product names to their product IDs, sorted alphabetically by name.'),
  call({ db }) {
    const products = [...db.tables.products.values()]
    return dumps(new Map(products.map(({ name, product_id }) => [name, product_id])), { sortKeys: true })
  },
})
