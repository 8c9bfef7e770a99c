import type { Tool } from '../../../core/index.ts'
import type { Message, Spoken } from '../protocol/message.ts'
import type { Scenario } from '../tasks.ts'

/** Where a conversation begins, for the user. */
export interface UserSetting {
  /** All that the user may know: neither what is right nor how it is judged is in it. */
  scenario: Scenario
  /** The user's own tools; null where the domain has none. */
  tools: readonly Tool[] | null
  /** Of this conversation. */
  seed: number
}

/** The user of one conversation. */
export interface UserSession {
  /**
   * What it says or calls next, after all that it has heard and done. Blank where it has nothing to say: that is an error, and
   * it is asked again, with the next `attempt`.
   */
  speak(heard: readonly Message[], attempt?: number): Spoken | Promise<Spoken>
}

/** Plays users. */
export interface UserSimulator {
  /** In results; the scripted one is `scripted`. */
  readonly name: string
  open(setting: UserSetting): UserSession
}
