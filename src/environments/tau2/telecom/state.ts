import { hash32 } from '../../../core/index.ts'
import type { ModelDatabase } from '../database.ts'
import type { DomainState } from '../domain.ts'
import { PyDate } from '../python/date.ts'
import type { TelecomRecords } from './models.ts'
import type { Phone, Surroundings, UserRecords, VpnDetails } from './usermodels.ts'

/** The day on which every conversation takes place. */
export const TODAY = PyDate.date('2025-02-25')

/** One episode: the company's records, the user's phone and surroundings, and what the tools themselves hold. */
export interface TelecomState extends DomainState {
  db: ModelDatabase<TelecomRecords>
  userDb: ModelDatabase<UserRecords>
  /**
   * What a VPN connection is made of. A connection holds this very object, as upstream's does: once broken it stays so,
   * however often it is made again. Upstream shares it between all conversations of a process; here each has its own.
   */
  readonly vpn: VpnDetails
  readonly newBillId: BillIds
}

/** Gives the id of each new draft bill. */
export type BillIds = () => string

/**
 * Upstream draws these ids at random.
 * @param seed left out, ids count up as in recordings: B00000001, B00000002, …
 */
export function billIds(seed?: number): BillIds {
  let count = 0
  return () => {
    count++
    return `B${(seed === undefined ? count : hash32('bill', seed, count)).toString(16).padStart(8, '0')}`
  }
}

export function phoneOf(state: TelecomState): Phone {
  return state.userDb.value.device
}

export function surroundingsOf(state: TelecomState): Surroundings {
  return state.userDb.value.surroundings
}
