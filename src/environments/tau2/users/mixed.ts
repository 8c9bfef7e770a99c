import { Random } from '../../../core/index.ts'
import type { UserSimulator } from './user.ts'

export interface WeightedUser {
  user: UserSimulator
  /** How often it is drawn, against the others. Default 1. */
  weight?: number
}

/** Who plays the user of a conversation: drawn by weight from its seed, so that a replayed conversation has the same. */
export function userFor(users: readonly WeightedUser[], seed: number): UserSimulator {
  return new Random('user', seed).weighted(users, ({ weight = 1 }) => weight).user
}
