import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Action } from '../core/index.ts'
import type { Agent } from './agent.ts'
import { parseReflection } from './reflection.ts'
import { actionKey, replyFor } from './reply.ts'
import { tau2Agent } from './tau2.ts'
import { tau2SmallAgent } from './tau2-small.ts'
import { toolsAgent, toolsTranscriptAgent } from './tools.ts'
import { alfworldTranscript, transcriptAgent } from './transcript.ts'
import { alfworldWindow, windowAgent } from './window.ts'

const window = { historyTurns: 4, showActions: true }
const forTexts = [transcriptAgent(), alfworldTranscript, windowAgent(window), alfworldWindow(window)]
const forTools = [
  toolsAgent(),
  toolsAgent({ toolCalls: 'template' }),
  toolsTranscriptAgent(),
  tau2Agent(),
  tau2SmallAgent(),
]

/** One line of anything that a person would call a command or a message. */
const line = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '' && !/[\n\r<>]/.test(text))
/** Whatever stands in the arguments, also what looks like the tags of the format. */
const calls = fc.array(
  fc.record({
    id: fc.string(),
    name: fc.stringMatching(/^[a-z_]{1,20}$/),
    arguments: fc.oneof(
      fc
        .dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.constant('</tool_call><thinking>')))
        .map((one) => JSON.stringify(one)),
      fc.constantFrom('{"__proto__": 0}', '{"a": ', 'no JSON', '[1, 2]', '{ "b": 1,\n"a": "</tool_call>" }'),
    ),
  }),
  { minLength: 1, maxLength: 3 },
)
const text = line.map((one): Action => ({ kind: 'text', text: one }))
const action: fc.Arbitrary<Action> = fc.oneof(
  text,
  calls.map((some): Action => ({ kind: 'tools', calls: some })),
  fc.tuple(calls, line).map(([some, said]): Action => ({ kind: 'tools', calls: some, text: said })),
)

const roundTrip = (agent: Agent, actions: fc.Arbitrary<Action>) =>
  fc.assert(
    fc.property(actions, fc.option(line, { nil: undefined }), (done, thinking) => {
      const label = agent.actionLabel!(done, thinking)
      const parsed = agent.parseAction(label)
      expect(parsed.action && actionKey(parsed.action)).toBe(actionKey(done))
      if (thinking !== undefined) expect(parsed.thinking).toBe(thinking.trim())
      expect(replyFor(agent, done)).toBe(agent.actionLabel!(done))
    }),
    { numRuns: 200 },
  )

describe('a label of an action', () => {
  it.each(forTexts.map((agent): [string, Agent] => [agent.name, agent]))('%s: is read as that action', (_, agent) => {
    roundTrip(agent, text)
    const parsed = agent.parseAction(agent.actionLabel!({ kind: 'text', text: 'go to desk 1' }))
    expect(parsed).toMatchObject({ wellFormed: true, thinking: '' })
  })

  it.each(forTools.map((agent): [string, Agent] => [agent.name, agent]))('%s: is read as that action', (_, agent) => {
    roundTrip(agent, action)
  })

  it('with thoughts holds them', () => {
    expect(alfworldTranscript.actionLabel!({ kind: 'text', text: 'look' }, 'need mug')).toBe(
      '<thinking>need mug</thinking>look',
    )
    expect(tau2SmallAgent().actionLabel!({ kind: 'text', text: 'Hello' })).toBe('Hello')
  })
})

describe('a reply for an action', () => {
  const look: Action = { kind: 'text', text: 'look' }

  it('is the given one where that does it, with its thoughts', () => {
    const given = '<thinking>where is it</thinking>look'
    expect(replyFor(alfworldTranscript, look, given)).toBe(given)
    // Thoughts of a reply that does something else are not its thoughts.
    expect(replyFor(alfworldTranscript, look, '<thinking>a</thinking>go')).toBe('<thinking></thinking>look')
    expect(replyFor(alfworldTranscript, look, 'look')).toBe('<thinking></thinking>look')
  })

  it('is none where the format cannot carry it', () => {
    expect(replyFor(windowAgent(window), { kind: 'text', text: 'look\ngo' })).toBeNull()
    expect(replyFor(toolsAgent(), { kind: 'text', text: 'I write <tool_call>' })).toBeNull()
    expect(replyFor(transcriptAgent(), { kind: 'tools', calls: [{ id: '', name: 'f', arguments: '{}' }] })).toBeNull()
  })

  it('of an agent that writes no labels is what was given, if it does it', () => {
    const { actionLabel: _, ...agent } = transcriptAgent()
    expect(replyFor(agent, look, 'look')).toBe('look')
    expect(replyFor(agent, look)).toBeNull()
  })
})

describe('a reflection', () => {
  it('is read only where nothing else stands in the answer', () => {
    expect(parseReflection(' <reflection>\nThe mug is here. </reflection>\n')).toBe('The mug is here.')
    for (const wrong of [
      'The mug is here.',
      '<reflection> </reflection>',
      'Well: <reflection>a</reflection>',
      '<reflection>a',
      '<reflection>a</thinking>go</reflection>',
      '<reflection>a</reflection><reflection>b</reflection>',
    ])
      expect(parseReflection(wrong)).toBeNull()
  })
})
