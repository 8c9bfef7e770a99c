import { describe, expect, it } from 'vitest'
import { ModelDatabase, TableStore } from './database.ts'
import { diff } from './diff.ts'
import { hashOf } from './hash.ts'
import { dict, dump, field, float, int, list, Model, optional, str } from './model.ts'
import { parseJson } from './python/json.ts'
import { freeze } from './python/value.ts'

const Item = new Model('Item', {
  id: field(str),
  price: field(float),
  tags: field(list(str)),
  note: field(optional(str), undefined, null),
})
const Shop = new Model('Shop', { items: field(dict(Item)), counts: field(dict(new Model('Count', { n: field(int) }))) })

const TEXT =
  '{"items": {"9": {"id": "9", "price": 2, "tags": []}, "10": {"id": "10", "price": 0.5, "tags": ["a", "b"]}, ' +
  '"b": {"id": "b", "price": 1e16, "tags": ["é"]}}, "counts": {"x": {"n": 1}}}'

const open = () => new TableStore(Shop, Shop.construct(parseJson(TEXT)))

describe('a database of tables', () => {
  it('hashes as its whole dump does, untouched and touched anywhere', () => {
    const store = open()
    for (const ids of [
      [],
      ['10'],
      ['9'],
      ['b'],
      ['10', '9', 'b'],
      ['0', '9'],
      ['zz'],
      ['99', 'b'],
      ['0'],
      ['10', '0', 'a', 'c'],
    ]) {
      const db = store.open()
      for (const id of ids) {
        if (db.tables.items.has(id)) db.tables.items.edit(id).price += 1
        else db.tables.items.add(id, Item.of({ id, price: 1, tags: [] }))
      }
      expect(db.hash()).toBe(hashOf(db.dump()))
    }
    // What Python gives.
    expect(store.open().hash()).toBe('c2edeb95d2184450ce565c53227ac23fc626758d843bb0e0cd2289947e6df03c')
  })

  it('changes for one episode alone', () => {
    const store = open()
    const [one, other] = [store.open(), store.open()]
    const before = other.hash()
    one.tables.items.edit('10').tags.push('c')
    one.tables.items.edit('10').note = 'seen'
    one.tables.items.add('new', Item.of({ id: 'new', price: 3, tags: [] }))
    one.tables.counts.edit('x')
    expect(other.hash()).toBe(before)
    expect(one.tables.items.get('10')?.tags).toEqual(['a', 'b', 'c'])
    expect([...one.tables.items.entries()].map(([id]) => id)).toEqual(['9', '10', 'b', 'new'])
    expect(one.tables.items.size).toBe(4)
    expect(one.changes()).toEqual([
      { op: 'replace', path: '/items/10/note', value: 'seen' },
      { op: 'replace', path: '/items/10/tags', value: ['a', 'b', 'c'] },
      { op: 'add', path: '/items/new', value: dump(Item.of({ id: 'new', price: 3, tags: [] })) },
    ])
  })

  it('refuses a write to what all share', () => {
    const db = open().open()
    expect(() => db.tables.items.get('10')!.tags.push('x')).toThrow(TypeError)
    expect(() => {
      db.tables.items.get('10')!.price = 1
    }).toThrow(TypeError)
  })

  it('is the same as another where the hashes are', () => {
    const store = open()
    const [one, other] = [store.open(), store.open()]
    one.tables.items.edit('9')
    expect(one.sameAs(other)).toBe(true)
    one.tables.items.edit('9').price = 3
    expect(one.sameAs(other)).toBe(false)
    expect(other.sameAs(one)).toBe(false)
    other.tables.items.edit('9').price = 3
    expect(one.sameAs(other)).toBe(true)
    other.tables.items.add('n', Item.of({ id: 'n', price: 1, tags: [] }))
    expect(one.sameAs(other)).toBe(false)
  })

  it('takes data in, deep and read anew', () => {
    const db = open().open()
    db.tables.items.edit('9').price = 7
    const updated = db.updated(
      parseJson('{"items": {"10": {"price": 4}, "n": {"id": "n", "price": 1, "tags": []}}}') as never,
    )
    expect(updated.changes()).toEqual([
      { op: 'replace', path: '/items/10/price', value: 4 },
      { op: 'replace', path: '/items/9/price', value: 7 },
      expect.objectContaining({ op: 'add', path: '/items/n' }),
    ])
    expect(() => db.updated(parseJson('{"items": {"10": {"price": "x"}}}') as never)).toThrow('items.10.price')
  })

  it('cannot look up what Python cannot', () => {
    const { items } = open().open().tables
    expect(items.get(9n)).toBeUndefined()
    expect(() => items.get(['9'])).toThrow("unhashable type: 'list'")
  })
})

describe('a small database', () => {
  it('is copied whole', () => {
    const base = freeze(Item.of({ id: 'x', price: 1, tags: ['a'] }))
    const [one, other] = [new ModelDatabase(Item, base), new ModelDatabase(Item, base)]
    expect(one.sameAs(other)).toBe(true)
    one.value.tags.push('b')
    expect(one.sameAs(other)).toBe(false)
    expect(other.changes()).toEqual([])
    expect(one.changes()).toEqual([{ op: 'replace', path: '/tags', value: ['a', 'b'] }])
    expect(one.updated(new Map([['price', 2n]])).dump()).toEqual(
      new Map<string, unknown>([
        ['id', 'x'],
        ['price', 2],
        ['tags', ['a', 'b']],
        ['note', null],
      ]),
    )
  })
})

describe('a diff', () => {
  it('goes into lists of one length and tells types apart', () => {
    const before = parseJson('{"a": [1, {"b": 2}], "c/d": 1, "e~": 0, "g": [1]}')
    const after = parseJson('{"a": [1.0, {"b": 3}], "e~": false, "f": null, "g": [1, 2]}')
    expect(diff(before, after)).toEqual([
      { op: 'replace', path: '/a/0', value: 1 },
      { op: 'replace', path: '/a/1/b', value: 3n },
      { op: 'remove', path: '/c~1d' },
      { op: 'replace', path: '/e~0', value: false },
      { op: 'add', path: '/f', value: null },
      { op: 'replace', path: '/g', value: [1n, 2n] },
    ])
  })
})
