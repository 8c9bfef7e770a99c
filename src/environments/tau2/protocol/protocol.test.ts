import { describe, expect, it } from 'vitest'
import type { ToolCall } from '../../../core/index.ts'
import { heardBy } from './message.ts'
import { BlankTurn, GREETING, OUT_OF_SCOPE, Protocol, STOP, TRANSFER } from './protocol.ts'

const call = (name: string, id = name): ToolCall => ({ id, name, arguments: '{}' })
const text = (content: string) => ({ content, calls: [] })
const calls = (...names: string[]) => ({ content: null, calls: names.map((name) => call(name)) })
const result = (name: string, error = false) => ({ id: name, name, content: error ? 'Error: no' : 'ok', error })

describe('turns', () => {
  it('begin with the greeting and the user, and go round by what is said', () => {
    const protocol = new Protocol()
    expect(protocol.messages).toEqual([{ role: 'assistant', content: GREETING, calls: [] }])
    expect(protocol.next).toBe('user')
    protocol.say(text('Hello'))
    expect(protocol.next).toBe('assistant')
    protocol.say(calls('find', 'look'))
    expect(protocol.next).toBe('environment')
    expect(protocol.pending.map(({ name }) => name)).toEqual(['find', 'look'])
    protocol.answer([result('find'), result('look', true)])
    expect([protocol.next, protocol.steps, protocol.errors]).toEqual(['assistant', 3, 1])
    protocol.say(text('Look at your phone.'))
    protocol.say(calls('check'))
    protocol.answer([result('check')])
    expect(protocol.next).toBe('user')
    protocol.say(text(`Thanks ${STOP}`))
    expect([protocol.next, protocol.termination, protocol.steps]).toEqual([null, 'user_stop', 7])
  })

  it.each([STOP, TRANSFER, OUT_OF_SCOPE])('end where the user says %s, unless it calls a tool with it', (token) => {
    const protocol = new Protocol()
    protocol.say({ content: token, calls: [call('check')] })
    expect(protocol.next).toBe('environment')
    protocol.answer([result('check')])
    protocol.say(text(`well ${token} then`))
    expect(protocol.termination).toBe('user_stop')
  })

  it('do not end by the agent’s words, nor by the transfer tool', () => {
    const protocol = new Protocol()
    protocol.say(text('Hello'))
    protocol.say(calls('transfer_to_human_agents'))
    protocol.answer([result('transfer_to_human_agents')])
    protocol.say(text(STOP))
    expect(protocol.next).toBe('user')
  })

  it('let the agent’s words beside a call reach nobody', () => {
    const protocol = new Protocol()
    protocol.say(text('Hello'))
    protocol.say({ content: 'One moment', calls: [call('find')] })
    protocol.answer([result('find')])
    protocol.say(text('Found.'))
    expect(heardBy('user', protocol.messages).map((one) => one.content)).toEqual([GREETING, 'Hello', 'Found.'])
    expect(protocol.messages.some((one) => one.content === 'One moment')).toBe(true)
  })

  it('show each party its own tool traffic alone', () => {
    const protocol = new Protocol()
    protocol.say(calls('check'))
    protocol.answer([result('check')])
    protocol.say(text('It is off.'))
    expect(heardBy('assistant', protocol.messages).map((one) => one.content)).toEqual([GREETING, 'It is off.'])
    expect(heardBy('user', protocol.messages)).toHaveLength(4)
  })

  it('refuse a blank message and stay as they were', () => {
    const protocol = new Protocol()
    expect(() => protocol.say(text(' \n'))).toThrow(BlankTurn)
    expect(() => protocol.say({ content: null, calls: [] })).toThrow('the user neither said nor called anything')
    expect([protocol.next, protocol.steps]).toEqual(['user', 0])
  })
})

describe('limits', () => {
  it('wait for the environment, and come before a stop in the same step', () => {
    const protocol = new Protocol({ maxSteps: 2 })
    protocol.say(text('Hello'))
    protocol.say(calls('find'))
    expect(protocol.termination).toBeNull()
    protocol.answer([result('find')])
    expect([protocol.termination, protocol.steps]).toEqual(['max_steps', 3])
    const stopping = new Protocol({ maxSteps: 1 })
    stopping.say(text(STOP))
    expect(stopping.termination).toBe('max_steps')
  })

  it('count failed calls of both, and errors come before steps', () => {
    const protocol = new Protocol({ maxSteps: 4, maxErrors: 2 })
    protocol.say(calls('check'))
    protocol.answer([result('check', true)])
    protocol.say(text('Hm'))
    protocol.say(calls('find'))
    protocol.answer([result('find', true)])
    expect(protocol.termination).toBe('too_many_errors')
  })

  it('count what cannot be read as a step and an error', () => {
    const protocol = new Protocol({ maxErrors: 2 })
    protocol.say(text('Hello'))
    protocol.refuse()
    expect([protocol.next, protocol.steps, protocol.errors]).toEqual(['assistant', 2, 1])
    protocol.refuse()
    expect(protocol.termination).toBe('too_many_errors')
  })
})

describe('alone', () => {
  it('the agent begins uncounted, and stops by calling done', () => {
    const protocol = new Protocol({ solo: true })
    expect(protocol.next).toBe('assistant')
    protocol.say(calls('find'))
    expect(protocol.steps).toBe(0)
    protocol.answer([result('find')])
    protocol.say(calls('done', 'find'))
    expect([protocol.termination, protocol.steps]).toEqual(['agent_stop', 2])
    expect(protocol.messages.at(-1)).toEqual({ role: 'assistant', content: STOP, calls: [] })
  })

  it('may say nothing else', () => {
    const protocol = new Protocol({ solo: true })
    protocol.say(text('Hello?'))
    expect(protocol.termination).toBe('agent_error')
  })
})

describe('a history', () => {
  it.each([
    [{ role: 'assistant' as const, ...text('Done.') }, 'user'],
    [{ role: 'user' as const, ...text('Hello') }, 'assistant'],
    [{ role: 'user' as const, ...calls('check') }, 'environment'],
    [{ role: 'tool' as const, requestor: 'assistant' as const, ...result('find') }, 'assistant'],
    [{ role: 'user' as const, ...text(STOP) }, null],
  ])('goes on after its last message', (last, next) => {
    const protocol = new Protocol({ history: [last] })
    expect([protocol.next, protocol.messages.length]).toEqual([next, 1])
  })
})
