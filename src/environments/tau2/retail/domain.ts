import { TableStore } from '../database.ts'
import type { Domain } from '../domain.ts'
import { constructFrom, readJson, readText } from '../files.ts'
import { CALCULATE, TRANSFER_TO_HUMAN_AGENTS } from '../shared-tools.ts'
import { toolkit } from '../tool.ts'
import {
  EXCHANGE_DELIVERED_ORDER_ITEMS,
  MODIFY_PENDING_ORDER_ITEMS,
  RETURN_DELIVERED_ORDER_ITEMS,
} from './exchanges.ts'
import { RetailDb } from './models.ts'
import {
  CANCEL_PENDING_ORDER,
  MODIFY_PENDING_ORDER_ADDRESS,
  MODIFY_PENDING_ORDER_PAYMENT,
  MODIFY_USER_ADDRESS,
} from './orders.ts'
import {
  FIND_USER_ID_BY_EMAIL,
  FIND_USER_ID_BY_NAME_ZIP,
  GET_ITEM_DETAILS,
  GET_ORDER_DETAILS,
  GET_PRODUCT_DETAILS,
  GET_USER_DETAILS,
  LIST_ALL_PRODUCT_TYPES,
} from './reads.ts'
import type { RetailState } from './state.ts'

/** A shop: its orders are looked up, cancelled, changed, exchanged and returned. */
export const retail: Domain<RetailState> = {
  name: 'retail',
  tools: toolkit('RetailTools', [
    CALCULATE,
    CANCEL_PENDING_ORDER,
    EXCHANGE_DELIVERED_ORDER_ITEMS,
    FIND_USER_ID_BY_NAME_ZIP,
    FIND_USER_ID_BY_EMAIL,
    GET_ORDER_DETAILS,
    GET_PRODUCT_DETAILS,
    GET_ITEM_DETAILS,
    GET_USER_DETAILS,
    LIST_ALL_PRODUCT_TYPES,
    MODIFY_PENDING_ORDER_ADDRESS,
    MODIFY_PENDING_ORDER_ITEMS,
    MODIFY_PENDING_ORDER_PAYMENT,
    MODIFY_USER_ADDRESS,
    RETURN_DELIVERED_ORDER_ITEMS,
    TRANSFER_TO_HUMAN_AGENTS,
  ]),
  userTools: null,
  load(folder) {
    const store = new TableStore(RetailDb, constructFrom(RetailDb, readJson(folder, 'db.json'), 'retail/db.json'))
    return {
      policy: readText(folder, 'policy.md'),
      open: () => ({ db: store.open(), userDb: null }),
    }
  },
}
