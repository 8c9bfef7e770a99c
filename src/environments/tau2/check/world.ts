import { type Change as DatabaseChange, diff } from '../diff.ts'
import type { Domain, DomainData } from '../domain.ts'
import { Tau2World } from '../environment.ts'
import { compareText } from '../python/arithmetic.ts'
import { dumps } from '../python/json.ts'
import type { PyDict } from '../python/value.ts'
import type { Tau2Task } from '../tasks.ts'
import { expectEqual, type Tally } from './tally.ts'
import type { Change, State, Step } from './vectors.ts'

/** A domain with its data and tasks. */
export interface LoadedDomain {
  domain: Domain
  data: DomainData
  tasks: ReadonlyMap<string, Tau2Task>
}

/** A world under comparison: what a task's beginning changed is not shown in its diffs. */
export class ComparedWorld {
  readonly world: Tau2World
  readonly #before: { db: PyDict; userDb: PyDict | null } | null

  constructor({ domain, data }: LoadedDomain, task: Tau2Task | undefined) {
    this.world = new Tau2World(domain, data)
    if (task) this.world.begin(task.initial)
    const { db, userDb } = this.world.state
    const isUnchanged = db.changes().length === 0 && (userDb?.changes().length ?? 0) === 0
    // A large database is dumped only where its own record of changes does not begin here.
    this.#before = isUnchanged ? null : { db: db.dump(), userDb: userDb?.dump() ?? null }
  }

  /** Runs the steps and compares every answer, and the hashes where they were recorded. */
  steps(steps: readonly Step[], tally: Tally): void {
    const { world } = this
    steps.forEach((step, index) => {
      const at = index + 1
      const { content, error } = tally.timed(() => world.call(step.requestor, step.name, step.arguments))
      expectEqual(`content of ${step.name}`, step.content, content, at)
      expectEqual(`error of ${step.name}`, step.error, error, at)
      if (step.db_hash !== null) expectEqual('db_hash', step.db_hash, world.hash(), at)
      if (step.user_db_hash !== null) expectEqual('user_db_hash', step.user_db_hash, world.userHash(), at)
    })
  }

  /** Compares hashes and, where they were recorded, diffs. */
  state(name: string, { db_hash, user_db_hash, db_diff, user_db_diff }: Omit<State, symbol>, fromStart = false): void {
    const { db, userDb } = this.world.state
    expectEqual(`${name}: db_hash`, db_hash, this.world.hash())
    expectEqual(`${name}: user_db_hash`, user_db_hash, this.world.userHash())
    const before = fromStart ? null : this.#before
    if (db_diff) {
      expectEqual(`${name}: db_diff`, recorded(db_diff), made(before ? diff(before.db, db.dump()) : db.changes()))
    }
    if (!user_db_diff || !userDb) return
    const changes = before?.userDb ? diff(before.userDb, userDb.dump()) : userDb.changes()
    expectEqual(`${name}: user_db_diff`, recorded(user_db_diff), made(changes))
  }
}

function lines(changes: readonly { op: string; path: string; text: string }[]): string {
  return changes
    .map(({ op, path, text }) => `${path} ${op} ${text}`)
    .sort(compareText)
    .join('\n')
}

function recorded(changes: readonly Change[]): string {
  return lines(changes.map(({ op, path, value }) => ({ op, path, text: dumps(value, { sortKeys: true }) })))
}

function made(changes: readonly DatabaseChange[]): string {
  return lines(changes.map(({ op, path, value }) => ({ op, path, text: dumps(value ?? null, { sortKeys: true }) })))
}
