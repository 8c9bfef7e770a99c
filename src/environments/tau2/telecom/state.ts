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
  readonly newBillId: () => string
}

/** The ids of one episode's new draft bills. Upstream draws them at random; these count up, as in recordings. */
export function billIds(): () => string {
  let count = 0
  return () => {
    count++
    return `B${count.toString(16).padStart(8, '0')}`
  }
}

export function phoneOf(state: TelecomState): Phone {
  return state.userDb.value.device
}

export function surroundingsOf(state: TelecomState): Surroundings {
  return state.userDb.value.surroundings
}
