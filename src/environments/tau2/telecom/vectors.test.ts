import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diff } from '../diff.ts'
import { dump } from '../model.ts'
import { PyError } from '../python/errors.ts'
import { dumps, parseJson } from '../python/json.ts'
import type { PyDict, PyValue } from '../python/value.ts'
import { functionSchema, returnsSchema } from '../tool.ts'
import { telecom } from './domain.ts'
import type { TelecomState } from './state.ts'
import { syncTelecom } from './sync.ts'
import { call, runMethod, type Side, useTool } from './testing/episode.ts'

const shared = process.env.RWML_SHARED ?? '../shared'
const folder = join(shared, 'data', 'tau2', 'tau2', 'domains', 'telecom')
const vectors = (name: string) => join(shared, 'oracle', 'tau2', name)

const read = (path: string) => parseJson(readFileSync(path, 'utf8'))
const at = <T = PyValue>(value: PyValue, ...path: string[]) =>
  path.reduce((one, key) => (one as PyDict).get(key) ?? null, value) as T
const sorted = (value: PyValue) => dumps(value, { sortKeys: true })

/** Changes as the vectors hold them. */
const changesOf = (before: PyValue, after: PyValue) =>
  diff(before, after).map(({ op, path, value }) =>
    sorted(new Map([...Object.entries({ op, path, value: value ?? null })])),
  )

const expected = (changes: PyDict[]) =>
  changes.map((one) =>
    sorted(new Map([...Object.entries({ op: at(one, 'op'), path: at(one, 'path'), value: at(one, 'value') })])),
  )

describe.skipIf(!existsSync(folder))('telecom as upstream runs it', () => {
  const data = telecom.load(folder)
  const base = data.open()
  const bases = { db: dump(base.db.value), user: dump(base.userDb.value) }
  const tasks = new Map<string, PyDict>()

  const start = (id: string): TelecomState => {
    if (tasks.size === 0)
      for (const task of read(join(folder, 'tasks.json')) as PyDict[]) tasks.set(at(task, 'id'), task)
    const state = data.open()
    syncTelecom(state)
    for (const action of at<PyDict[] | null>(tasks.get(id)!, 'initial_state', 'initialization_actions') ?? []) {
      runMethod(state, at(action, 'env_type'), at(action, 'func_name'), at(action, 'arguments'))
    }
    return state
  }
  const hashes = (state: TelecomState) => ({ db: state.db.hash(), user: state.userDb.hash() })
  const hashesIn = (from: PyValue, db = 'db_hash', user = 'user_db_hash') => ({
    db: at(from, db),
    user: at(from, user),
  })
  const play = (state: TelecomState, steps: PyDict[], where: string) => {
    steps.forEach((step, index) => {
      const answer = call(state, at<Side>(step, 'requestor'), at(step, 'name'), at(step, 'arguments'))
      const place = `${where} ${index} ${at(step, 'name')}`
      expect({ place, ...answer }).toEqual({ place, content: at(step, 'content'), error: at(step, 'error') })
      expect({ place, ...hashes(state) }).toEqual({ place, ...hashesIn(step) })
    })
  }

  it('begins as upstream does', () => {
    const all = read(vectors('telecom.json'))
    expect(hashes(base)).toEqual(hashesIn(all, 'initial_db_hash', 'initial_user_db_hash'))
  })

  it('plays the gold actions of tasks', () => {
    for (const one of at<PyDict[]>(read(vectors('telecom.json')), 'tasks')) {
      const id = at<string>(one, 'id')
      const state = start(id)
      const init = { db: dump(state.db.value), user: dump(state.userDb.value) }
      expect({ id, ...hashes(state) }).toEqual({ id, ...hashesIn(at(one, 'init')) })
      expect(changesOf(bases.db, init.db)).toEqual(expected(at(one, 'init', 'db_diff')))
      expect(changesOf(bases.user, init.user)).toEqual(expected(at(one, 'init', 'user_db_diff')))
      play(state, at(one, 'steps'), id)
      expect(hashes(state)).toEqual(hashesIn(at(one, 'live_final')))
      expect(changesOf(init.db, dump(state.db.value))).toEqual(expected(at(one, 'live_final', 'db_diff')))
      expect(changesOf(init.user, dump(state.userDb.value))).toEqual(expected(at(one, 'live_final', 'user_db_diff')))
      for (const assertion of at<PyDict[]>(one, 'env_assertions')) {
        const result = runMethod(
          state,
          at(assertion, 'env_type'),
          at(assertion, 'func_name'),
          at(assertion, 'arguments'),
        )
        expect(typeof result).toBe('boolean')
        expect(result === at(assertion, 'assert_value')).toBe(at(assertion, 'met'))
      }
      const gold = start(id)
      syncTelecom(gold)
      const errors: PyValue[] = []
      for (const action of at<PyDict[] | null>(tasks.get(id)!, 'evaluation_criteria', 'actions') ?? []) {
        try {
          useTool(gold, at(action, 'requestor'), at(action, 'name'), at(action, 'arguments'))
        } catch (error) {
          if (!(error instanceof PyError)) throw error
          errors.push(error.message)
        }
      }
      expect({ id, ...hashes(gold), errors }).toEqual({
        id,
        ...hashesIn(at(one, 'gold_env')),
        errors: at(one, 'gold_env', 'errors'),
      })
    }
  })

  it('answers seeded random calls', () => {
    for (const sequence of at<PyDict[]>(read(vectors('fuzz_telecom.json')), 'sequences')) {
      const state = start(at(sequence, 'task_id'))
      const init = { db: dump(state.db.value), user: dump(state.userDb.value) }
      play(state, at(sequence, 'steps'), `sequence ${at(sequence, 'seq')}`)
      expect(hashes(state)).toEqual(hashesIn(sequence, 'final_db_hash', 'final_user_db_hash'))
      expect(changesOf(init.db, dump(state.db.value))).toEqual(expected(at(sequence, 'db_diff')))
      expect(changesOf(init.user, dump(state.userDb.value))).toEqual(expected(at(sequence, 'user_db_diff')))
    }
  })

  it('refuses malformed arguments in the same words', () => {
    const rows = at<PyDict[]>(read(vectors('badargs_returns.json')), 'telecom', 'rows')
    for (const row of rows) {
      const answer = call(data.open(), at<Side>(row, 'requestor'), at(row, 'name'), at(row, 'arguments'))
      expect(answer).toEqual({ content: at(row, 'content'), error: at(row, 'error') })
    }
  })

  it('describes its tools and policy in the same bytes', () => {
    const all = JSON.parse(readFileSync(vectors('schemas_prompts.json'), 'utf8')).telecom
    const returns = JSON.parse(readFileSync(vectors('badargs_returns.json'), 'utf8')).telecom.returns_schema
    for (const [toolkit, list, types, side] of [
      [telecom.tools, all.tools, all.tool_types, 'assistant'],
      [telecom.userTools!, all.user_tools, all.user_tool_types, 'user'],
    ]) {
      const tools = [...toolkit.tools.values()]
      expect(tools.map((one) => JSON.stringify(functionSchema(one)))).toEqual(
        list.map((one: unknown) => JSON.stringify(one)),
      )
      for (const { name, kind, mutates } of tools)
        expect({ name, type: kind, mutates }).toEqual({ name, ...types[name] })
      for (const one of tools) {
        expect(JSON.stringify(returnsSchema(one))).toBe(JSON.stringify(returns[`${side}:${one.name}`]))
      }
    }
    expect(data.policy).toBe(all.policy)
  })
})
