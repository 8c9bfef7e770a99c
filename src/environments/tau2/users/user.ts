import type { Tool } from '../../../core/index.ts'
import type { Message, Spoken } from '../protocol/message.ts'

/** What a user is told of itself: all that it may know. */
export interface Scenario {
  /** Who the user is in general, if the task says. */
  persona: string | null
  /** What it calls about: in fields, or in plain words. */
  instructions: string | Instructions
}

export interface Instructions {
  domain: string
  reasonForCall: string
  knownInfo: string | null
  unknownInfo: string | null
  taskInstructions: string
}

/** Where a conversation begins, for the user. Neither what is right nor how it is judged is in it. */
export interface UserSetting {
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
