import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dumps, parseJson } from '../python/json.ts'
import type { PyDict, PyValue } from '../python/value.ts'
import { functionSchema, returnsSchema } from '../tool.ts'
import { airline } from './domain.ts'
import type { AirlineState } from './state.ts'
import { call } from './testing/calls.ts'

const shared = process.env.RWML_SHARED ?? '../shared'
const folder = join(shared, 'data', 'tau2', 'tau2', 'domains', 'airline')
const vectors = join(shared, 'oracle', 'tau2')

const read = (name: string) => parseJson(readFileSync(join(vectors, name), 'utf8')) as PyDict
const dictOf = (dict: PyDict, key: string) => dict.get(key) as PyDict
const listOf = (dict: PyDict, key: string) => dict.get(key) as PyDict[]
const asJson = (value: unknown) => JSON.stringify(value)

/** What each step answers that Python did not, and where a hash given for a step is another. */
function differences(state: AirlineState, steps: readonly PyDict[]): string[] {
  return steps.flatMap((step) => {
    const name = step.get('name') as string
    const answer = call(state, name, dictOf(step, 'arguments'))
    const hash = step.get('db_hash')
    const isEqual = answer.content === step.get('content') && answer.error === step.get('error')
    if (isEqual && (hash === undefined || hash === state.db.hash())) return []
    return [`${name} ${dumps(dictOf(step, 'arguments'))}\n${answer.content}\n${step.get('content')}`]
  })
}

function changesText(state: AirlineState): string {
  const changes = state.db.changes().map((change) => new Map<string, PyValue>(Object.entries(change)))
  return dumps(changes, { sortKeys: true })
}

describe.skipIf(!existsSync(folder) || !existsSync(vectors))("the airline on upstream's data", () => {
  const data = airline.load(folder)

  it('answers the tasks', () => {
    const file = read('airline.json')
    expect(data.open().db.hash()).toBe(file.get('initial_db_hash'))
    for (const task of listOf(file, 'tasks')) {
      const state = data.open()
      expect(differences(state, listOf(task, 'steps'))).toEqual([])
      const final = dictOf(task, 'live_final')
      expect(changesText(state)).toBe(dumps(final.get('db_diff') as PyValue, { sortKeys: true }))
      expect(state.db.hash()).toBe(final.get('db_hash'))
      expect(state.db.hash()).toBe(dictOf(task, 'gold_env').get('db_hash'))
    }
  })

  it('answers random calls', () => {
    for (const sequence of listOf(read('fuzz_airline.json'), 'sequences')) {
      const state = data.open()
      expect(differences(state, listOf(sequence, 'steps'))).toEqual([])
      expect(changesText(state)).toBe(dumps(sequence.get('db_diff') as PyValue, { sortKeys: true }))
      expect(state.db.hash()).toBe(sequence.get('final_db_hash'))
    }
  })

  it('answers the calls of transcripts', () => {
    for (const simulation of listOf(read('traj_airline.json'), 'simulations')) {
      const state = data.open()
      expect(differences(state, listOf(simulation, 'steps'))).toEqual([])
      expect(state.db.hash()).toBe(simulation.get('final_db_hash'))
    }
  })

  it('refuses arguments as Python does, and describes its results', () => {
    const cases = dictOf(read('badargs_returns.json'), 'airline')
    const ours = listOf(cases, 'rows').filter((row) => row.get('requestor') === 'assistant')
    expect(differences(data.open(), ours)).toEqual([])
    for (const [name, schema] of dictOf(cases, 'returns_schema')) {
      const tool = airline.tools.tools.get(name.replace('assistant:', ''))!
      expect(asJson(returnsSchema(tool))).toBe(asJson(JSON.parse(dumps(schema))))
    }
  })

  it("has upstream's tools and policy", () => {
    const file = dictOf(read('schemas_prompts.json'), 'airline')
    const tools = [...airline.tools.tools.values()]
    expect(asJson(tools.map(functionSchema))).toBe(asJson(JSON.parse(dumps(file.get('tools') as PyValue))))
    const kinds = tools.map(({ name, kind, mutates }) => [name, { type: kind, mutates }])
    expect(Object.fromEntries(kinds)).toEqual(JSON.parse(dumps(file.get('tool_types') as PyValue)))
    expect(data.policy).toBe(file.get('policy'))
  })
})
