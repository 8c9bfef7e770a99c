import { ServiceError } from '../../../services/index.ts'
import { isBlank, type Message, type Spoken } from '../protocol/message.ts'
import { BlankTurn } from '../protocol/protocol.ts'
import type { UserSession } from './user.ts'

/** Attempts after the first at a turn in which a user says nothing. */
const RETRIES = 3

/** A user that is asked again where it says nothing, and how often that was. */
export class PatientUser implements UserSession {
  empty = 0
  private readonly session: UserSession

  constructor(session: UserSession) {
    this.session = session
  }

  /** @throws BlankTurn where it never says anything. */
  async speak(heard: readonly Message[]): Promise<Spoken> {
    for (let attempt = 0; attempt <= RETRIES; attempt++) {
      try {
        const spoken = await this.session.speak(heard, attempt)
        if (!isBlank(spoken)) return spoken
      } catch (error) {
        // A service tries empty answers again by itself, and then says so.
        if (!(error instanceof ServiceError && error.kind === 'empty')) throw error
      }
      this.empty++
    }
    throw new BlankTurn('user')
  }
}
