import { compareKeys, compareText } from './python/arithmetic.ts'
import { dumps } from './python/json.ts'
import { asKey, clone, type PyModel, type PyValue, same } from './python/value.ts'

/** The dump of a table's base, cut so that changed entities can be put in. */
interface TableText {
  ids: string[]
  bytes: Buffer
  /** Where each entity's text begins; the last is the end. */
  starts: number[]
}

function tableText(entities: ReadonlyMap<string, PyModel>): TableText {
  const ids = [...entities.keys()].sort(compareText)
  const starts: number[] = []
  let position = 0
  const parts = ids.map((id, index) => {
    const text = `${index > 0 ? ', ' : ''}${dumps(id)}: ${dumps(entities.get(id)!, { sortKeys: true })}`
    starts.push(position)
    position += text.length
    return text
  })
  starts.push(position)
  // JSON of Python is ASCII, so that a character is a byte.
  return { ids, bytes: Buffer.from(parts.join(''), 'latin1'), starts }
}

/** The entities of one table, shared and frozen, and their text once a hash was asked for. */
export class TableBase<E extends PyModel = PyModel> {
  #text: TableText | undefined

  constructor(readonly entities: ReadonlyMap<string, E>) {}

  get text(): TableText {
    this.#text ??= tableText(this.entities)
    return this.#text
  }
}

/** A dictionary of entities, copied on write: what an episode does not touch is the base's. */
export class Table<E extends PyModel = PyModel> {
  readonly #base: TableBase<E>
  #own: Map<string, E> | undefined

  constructor(base: TableBase<E>) {
    this.#base = base
  }

  /**
   * The entity of a key, to read only: to change it, ask `edit`.
   * @throws PyError TypeError for a key Python cannot look up
   */
  get(key: PyValue): E | undefined {
    const id = asKey(key)
    if (id === undefined) return undefined
    return this.#own?.get(id) ?? this.#base.entities.get(id)
  }

  has(key: PyValue): boolean {
    return this.get(key) !== undefined
  }

  /** This episode's own copy of an entity, to change in place. */
  edit(id: string): E {
    const own = this.#own?.get(id)
    if (own) return own
    const copy = clone(this.#base.entities.get(id)!)
    this.add(id, copy)
    return copy
  }

  /** Puts an entity under an id: new ones come last in the order. */
  add(id: string, entity: E): void {
    this.#own ??= new Map()
    this.#own.set(id, entity)
  }

  /** In Python's order: the base's, then those added. */
  entries(): IterableIterator<[string, E]> {
    return this.#own ? this.#ownEntries(this.#own) : this.#base.entities.entries()
  }

  *#ownEntries(own: ReadonlyMap<string, E>): IterableIterator<[string, E]> {
    const { entities } = this.#base
    for (const entry of entities) {
      const copy = own.get(entry[0])
      yield copy ? [entry[0], copy] : entry
    }
    for (const entry of own) if (!entities.has(entry[0])) yield entry
  }

  *values(): IterableIterator<E> {
    for (const [, entity] of this.entries()) yield entity
  }

  get size(): number {
    let added = 0
    for (const id of this.#own?.keys() ?? []) if (!this.#base.entities.has(id)) added++
    return this.#base.entities.size + added
  }

  /** What this episode copied or added, with what the base had. */
  *touched(): IterableIterator<[id: string, before: E | undefined, now: E]> {
    for (const [id, now] of this.#own ?? []) yield [id, this.#base.entities.get(id), now]
  }

  /** Whether both tables hold the same; both must be of one base. */
  sameAs(other: Table): boolean {
    const ids = new Set([...(this.#own?.keys() ?? []), ...(other.#own?.keys() ?? [])])
    for (const id of ids) {
      const mine = this.get(id)
      const theirs = other.get(id)
      if (!mine || !theirs || !same(mine, theirs)) return false
    }
    return true
  }

  /** Gives the dump with sorted keys to `write`, piece by piece; unchanged stretches as they are. */
  writeSorted(write: (piece: string | Buffer) => void): void {
    const { ids, bytes, starts } = this.#base.text
    const own = [...(this.#own ?? [])].sort(compareKeys)
    let next = 0
    let first = true
    const copyUntil = (index: number) => {
      if (index === next) return
      // Every text of the base but its first begins with the comma that parts it from the one before.
      if (next === 0 && !first) write(', ')
      write(bytes.subarray(starts[next] + (next > 0 && first ? 2 : 0), starts[index]))
      first = false
      next = index
    }
    for (const [id, entity] of own) {
      let index = next
      let end = ids.length
      while (index < end) {
        const middle = (index + end) >> 1
        if (compareText(ids[middle], id) < 0) index = middle + 1
        else end = middle
      }
      copyUntil(index)
      write(`${first ? '' : ', '}${dumps(id)}: ${dumps(entity, { sortKeys: true })}`)
      first = false
      if (ids[index] === id) next = index + 1
    }
    copyUntil(ids.length)
  }
}
