import { createHash } from 'node:crypto'
import { type Change, diff, pointerStep } from './diff.ts'
import { hashOf } from './hash.ts'
import { dump, type Fields, type Instance, type Model } from './model.ts'
import { compareKeys } from './python/arithmetic.ts'
import { dumps } from './python/json.ts'
import { clone, freeze, isDict, type PyDict, type PyModel, same } from './python/value.ts'
import { Table, TableBase } from './table.ts'

/** The state of one side of an episode, opened from a base that all episodes share. */
export interface Database {
  /** `model_dump()` of the whole database. */
  dump(): PyDict
  /** Upstream's hash of the whole database, to the bit. */
  hash(): string
  /** What this episode changed. */
  changes(): Change[]
  /** Whether both hold the same, types included; both must be opened from one base. Costs what they changed. */
  sameAs(other: Database): boolean
  /**
   * The database with `data` merged in and read anew, as initialization data asks.
   * @throws PyError ValidationError
   */
  updated(data: PyDict): Database
}

/** `update` merged into `target`: dictionaries key by key, anything else replaced. */
function merge(target: PyDict, update: PyDict): PyDict {
  for (const [key, value] of update) {
    const old = target.get(key)
    if (old !== undefined && isDict(old) && isDict(value)) merge(old, value)
    else target.set(key, clone(value))
  }
  return target
}

/** What all episodes of a database made of tables share. */
export class TableStore<F extends Fields> {
  readonly #bases: ReadonlyMap<string, TableBase>

  /**
   * @param model of the database: every field a dictionary of models
   * @param instance is frozen
   */
  constructor(
    readonly model: Model<F>,
    instance: Instance<F>,
  ) {
    freeze(instance)
    const tables = instance as unknown as Record<string, ReadonlyMap<string, PyModel>>
    this.#bases = new Map(Object.keys(model.fields).map((name) => [name, new TableBase(tables[name])]))
  }

  open(): TableDatabase<F> {
    const tables: Record<string, Table> = {}
    for (const [name, base] of this.#bases) tables[name] = new Table(base)
    return new TableDatabase(this, tables as TablesOf<F>)
  }
}

/** For each dictionary of entities in a model, its table. */
export type TablesOf<F extends Fields> = {
  readonly [K in keyof F]: Instance<F>[K] extends Map<string, infer E extends PyModel> ? Table<E> : never
}

/** A database whose parts are dictionaries of entities. */
export class TableDatabase<F extends Fields = Fields> implements Database {
  constructor(
    readonly store: TableStore<F>,
    readonly tables: TablesOf<F>,
  ) {}

  get #byName(): [string, Table][] {
    return Object.entries(this.tables)
  }

  dump(): PyDict {
    return new Map(
      this.#byName.map(([name, table]) => [name, new Map([...table.entries()].map(([id, one]) => [id, dump(one)]))]),
    )
  }

  hash(): string {
    const hash = createHash('sha256')
    const tables = this.#byName.sort(compareKeys)
    tables.forEach(([name, table], index) => {
      hash.update(`${index > 0 ? ', ' : '{'}${dumps(name)}: {`)
      table.writeSorted((piece) => hash.update(piece))
      hash.update('}')
    })
    return hash.update('}').digest('hex')
  }

  changes(): Change[] {
    const tables = this.#byName.sort(compareKeys)
    return tables.flatMap(([name, table]) => {
      const touched = [...table.touched()].sort(compareKeys)
      return touched.flatMap(([id, before, now]): Change[] => {
        const path = pointerStep(name) + pointerStep(id)
        return before === undefined ? [{ op: 'add', path, value: dump(now) }] : diff(before, now, path)
      })
    })
  }

  sameAs(other: Database): boolean {
    if (!(other instanceof TableDatabase) || other.store !== this.store) return false
    return this.#byName.every(([name, table]) => table.sameAs((other.tables as Record<string, Table>)[name]))
  }

  updated(data: PyDict): Database {
    const merged = this.store.model.construct(merge(this.dump(), data))
    const result = this.store.open()
    for (const [name, table] of result.#byName) {
      const entities = (merged as unknown as Record<string, Map<string, PyModel>>)[name]
      for (const [id, entity] of entities) {
        const old = table.get(id)
        if (old === undefined || !same(old, entity)) table.add(id, entity)
      }
    }
    return result
  }
}

/** A small database, copied whole for every episode. */
export class ModelDatabase<M extends PyModel = PyModel> implements Database {
  /** This episode's own, to change in place. */
  readonly value: M

  /**
   * @param base shared and frozen
   * @param value left out, a copy of the base
   */
  constructor(
    readonly model: Model,
    readonly base: M,
    value?: M,
  ) {
    this.value = value ?? clone(base)
  }

  dump(): PyDict {
    return dump(this.value)
  }

  hash(): string {
    return hashOf(this.value)
  }

  changes(): Change[] {
    return diff(this.base, this.value)
  }

  sameAs(other: Database): boolean {
    return other instanceof ModelDatabase && same(this.value, other.value)
  }

  updated(data: PyDict): Database {
    return new ModelDatabase(this.model, this.base, this.model.construct(merge(this.dump(), data)) as unknown as M)
  }
}
