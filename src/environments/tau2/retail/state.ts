import type { TableDatabase } from '../database.ts'
import type { DomainState } from '../domain.ts'
import { valueAt } from '../python/access.ts'
import { valueError } from '../python/errors.ts'
import type { PyValue } from '../python/value.ts'
import type { Order, PaymentMethod, Product, RetailDb, User, Variant } from './models.ts'

/** A shop's database in one episode. */
export interface RetailState extends DomainState {
  db: TableDatabase<(typeof RetailDb)['fields']>
  userDb: null
}

/** @throws PyError ValueError when there is none of this id */
export function findOrder({ db }: RetailState, id: PyValue): Order {
  const order = db.tables.orders.get(id)
  if (!order) throw valueError('Order not found')
  return order
}

/** @throws PyError ValueError when there is none of this id */
export function findUser({ db }: RetailState, id: PyValue): User {
  const user = db.tables.users.get(id)
  if (!user) throw valueError('User not found')
  return user
}

/** @throws PyError ValueError when there is none of this id */
export function findProduct({ db }: RetailState, id: PyValue): Product {
  const product = db.tables.products.get(id)
  if (!product) throw valueError('Product not found')
  return product
}

/** @throws PyError ValueError when no product has such a variant */
export function findItem({ db }: RetailState, id: PyValue): Variant {
  for (const product of db.tables.products.values()) {
    const variant = valueAt(product.variants, id)
    if (variant) return variant
  }
  throw valueError('Item not found')
}

/** @throws PyError ValueError when there is no such product, or it has no such variant */
export function findVariant(state: RetailState, productId: string, variantId: PyValue): Variant {
  const variant = valueAt(findProduct(state, productId).variants, variantId)
  if (!variant) throw valueError('Variant not found')
  return variant
}

/** @throws PyError ValueError when there is no such user, or they have no such payment method */
export function findPaymentMethod(state: RetailState, userId: string, id: PyValue): PaymentMethod {
  const method = valueAt(findUser(state, userId).payment_methods, id)
  if (!method) throw valueError('Payment method not found')
  return method
}
