import type { Database } from './database.ts'
import type { Toolkit } from './tool.ts'

/** Both sides' databases in one episode. A domain may add what else its tools need to hold. */
export interface DomainState {
  db: Database
  /** Null where the user has no database. */
  userDb: Database | null
}

/** What all episodes of a domain share, read once from the user's copy of upstream's data. */
export interface DomainData<State extends DomainState = DomainState> {
  /** The agent's policy. */
  policy: string
  /** The one for an agent that plays both sides; left out where the domain has no such mode. */
  soloPolicy?: string
  /** A new episode's state, copy-on-write over the shared base. */
  open(): State
}

export interface Domain<State extends DomainState = DomainState> {
  readonly name: string
  readonly tools: Toolkit<State>
  /** Null where the user has no tools. */
  readonly userTools: Toolkit<State> | null
  /**
   * Reads the domain's files.
   * @param folder upstream's folder of the domain, with the database and the policy
   * @throws UserError when a file is missing or not as it should be
   */
  load(folder: string): DomainData<State>
  /** Carries what one side's state means for the other; called at construction and after every step. */
  sync?(state: State): void
}
