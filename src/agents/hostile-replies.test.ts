import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePolicyAnswer, parsePrediction } from './answers.ts'
import { maskedResult } from './json-shape.ts'
import { parseNativeReply, parseToolReply } from './tool-calls.ts'

const PARSERS = { parsePolicyAnswer, parsePrediction, parseToolReply, parseNativeReply, maskedResult }

/** What a model that is stuck repeats. Ten times as long as the longest reply of any model. */
const LENGTH = 2_000_000
const STUCK = [
  '<thinking>',
  '</thinking>',
  '<thinking></thinking>',
  '<thinking></thinking><tool_call>',
  '<think>',
  '</think>',
  '<next_state>',
  '<tool_call>',
  '</tool_call><tool_call>',
  '<tool_call>{"name": "a"}</tool_call>',
  '<tool_call>{"name": "a", "arguments": {"__proto__": {"polluted": 1}}}</tool_call>',
  '{"a": ',
  '[',
  ' ',
  '\n',
  'a b ',
]

describe('a reply that repeats itself', () => {
  it.each(STUCK)('is read in one pass: %j', (word) => {
    const reply = word.repeat(Math.ceil(LENGTH / word.length))
    for (const [name, parse] of Object.entries(PARSERS)) {
      const before = process.cpuUsage()
      parse(reply)
      const { user, system } = process.cpuUsage(before)
      // Reading it again from every tag on would take minutes.
      expect([name, (user + system) / 1e6 < 10]).toEqual([name, true])
    }
  })
})

describe('tool calls with names of the language in them', () => {
  const names = fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__defineGetter__',
  )
  const values: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    value: fc.oneof(
      fc.constant(1),
      fc.dictionary(fc.oneof(names, fc.string({ maxLength: 3 })), tie('value'), { maxKeys: 3 }),
    ),
  })).value

  it('are passed on as written and change nothing else', () => {
    fc.assert(
      fc.property(names, names, values, (name, key, value) => {
        const inner = JSON.stringify(value)
        const json = `{"name": "${name}", "arguments": {"${key}": ${inner}, "__proto__": {"polluted": true}}}`
        for (const parse of [parseToolReply, parseNativeReply]) {
          const { action } = parse(`<tool_call>${json}</tool_call>`)
          expect(action?.kind === 'tools' && action.calls[0].name).toBe(name)
          if (action?.kind === 'tools') maskedResult(action.calls[0].arguments)
        }
        expect('polluted' in {}).toBe(false)
        expect(Object.keys(Object.prototype)).toEqual([])
      }),
      { seed: 1 },
    )
  })
})
