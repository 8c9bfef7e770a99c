import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Transition } from '../core/index.ts'
import { parsePolicyAnswer, parsePrediction } from './answers.ts'
import { turnsToOmit } from './shorten.ts'
import { alfworldTranscript, PREDICT, transcriptAgent } from './transcript.ts'
import { alfworldWindow, windowAgent } from './window.ts'

const say = (text: string) => ({ from: 'environment' as const, text })
const act = (text: string) => ({ kind: 'text' as const, text })
const transition: Transition = {
  id: 't#0.2',
  taskId: 't',
  taskKind: 'place',
  instruction: 'put a mug in desk',
  initial: say('You see a desk 1.'),
  history: [
    {
      reply: '<thinking>need mug</thinking>go to desk 1',
      action: act('go to desk 1'),
      observation: say('On the desk 1.'),
    },
    { reply: 'look', action: act('look'), observation: say('You face the desk 1.') },
  ],
  action: act('open drawer 1'),
  next: say('You open the drawer 1.'),
  valid: true,
}

describe('answers', () => {
  it('reads thinking and action', () => {
    expect(parsePolicyAnswer('<thinking> a </thinking> go to desk 1 ')).toEqual({
      thinking: 'a',
      action: 'go to desk 1',
      wellFormed: true,
    })
    expect(parsePolicyAnswer('look')).toEqual({ thinking: null, action: 'look', wellFormed: false })
    expect(parsePolicyAnswer('<thinking>never closed look').action).toBeNull()
    expect(parsePolicyAnswer('<thinking>a</thinking>').action).toBeNull()
    expect(parsePolicyAnswer('<thinking>a</thinking>look\nlook').wellFormed).toBe(false)
  })

  it('reads a next state only where it is closed, and never out of the thinking', () => {
    expect(parsePrediction('<thinking>a</thinking><next_state> b </next_state>')).toEqual({
      thinking: 'a',
      nextState: 'b',
    })
    expect(parsePrediction('<thinking><next_state>x</next_state></thinking>').nextState).toBeNull()
    expect(parsePrediction('<next_state>x').nextState).toBeNull()
  })

  it('never throws, and gives back what was framed', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parsePolicyAnswer(text)
        parsePrediction(text)
        if (!text.includes('<')) {
          const framed = `<thinking>${text}</thinking><next_state>${text}</next_state>`
          expect(parsePrediction(framed)).toEqual({ thinking: text.trim(), nextState: text.trim() })
        }
      }),
    )
  })
})

describe('the transcript agent', () => {
  it('grows: each prompt holds the last one, replies verbatim', () => {
    const before = alfworldTranscript.playMessages({ ...transition, history: transition.history.slice(0, 1) })
    const after = alfworldTranscript.playMessages(transition)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after[1].content).toBe(transition.history[0].reply)
  })

  it('asks for a prediction where the action would stand', () => {
    const asked = alfworldTranscript.predictMessages(transition, { reasoning: true })
    expect(asked.at(-1)?.content).toBe(`You face the desk 1.${PREDICT}open drawer 1`)
    expect(alfworldTranscript.parsePrediction(alfworldTranscript.predictionLabel(transition)).nextState).toBe(
      'You open the drawer 1.',
    )
  })
})

describe('a history that does not fit', () => {
  const late = { ...transition, history: transition.history.slice(1), omitted: 7 }

  it('is shorter in the transcript, which keeps its beginning and says so', () => {
    const [first, ...rest] = alfworldTranscript.playMessages(late)
    expect(first.content).toBe('You see a desk 1.\n(7 earlier steps are not shown)')
    expect(rest.map(({ content }) => content)).toEqual(['look', 'You face the desk 1.'])
    const asked = alfworldTranscript.predictMessages(late, { reasoning: true, omitted: 7 })
    expect(asked.map(({ content }) => content)).toEqual([
      first.content,
      'look',
      `You face the desk 1.${PREDICT}open drawer 1`,
    ])
  })

  it('is shorter in the window, whose steps keep their numbers', () => {
    const agent = alfworldWindow({ historyTurns: 4, showActions: false })
    const asked = agent.predictMessages(late, { reasoning: false, omitted: 7 })
    for (const [{ content }] of [agent.playMessages(late), asked]) {
      expect(content).toContain('What happened so far:\n(7 earlier steps are not shown)\nAction 8: look\n\n')
      expect(content).toContain('Current observation: You face the desk 1.')
      expect(content).toContain('put a mug in desk')
      expect(content).not.toContain('You see a desk 1.')
    }
  })

  it('loses as few turns as need be, and never the last', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }), fc.nat(200), (sizes, room) => {
        const fits = (omitted: number) => sizes.slice(omitted).reduce((sum, size) => sum + size, 0) <= room
        const all = Array.from(sizes, (_, omitted) => omitted)
        expect(turnsToOmit(sizes.length, fits)).toBe(all.find(fits) ?? null)
      }),
    )
    expect(turnsToOmit(0, () => true)).toBe(0)
    expect(turnsToOmit(0, () => false)).toBeNull()
  })
})

describe('the window agent', () => {
  const agent = alfworldWindow({ historyTurns: 1, showActions: true })

  it('shows the task, the last turns and the possible commands without help', () => {
    const [{ content }] = agent.playMessages({ ...transition, actions: ['help', 'look'] })
    expect(content).toContain('put a mug in desk')
    expect(content).toContain('Action 2: look')
    expect(content).not.toContain('go to desk 1')
    expect(content).toContain('- look')
    expect(content).not.toContain('- help')
  })

  it('asks with reasoning, or forbids it', () => {
    const [reasoning] = agent.predictMessages(transition, { reasoning: true })
    const [direct] = agent.predictMessages(transition, { reasoning: false })
    expect(reasoning.content).toContain('<thinking>')
    expect(reasoning.content).toContain('Potential action: open drawer 1')
    expect(direct.content).not.toContain('<thinking>')
    expect(agent.parsePrediction(agent.predictionLabel(transition)).nextState).toBe('You open the drawer 1.')
  })
})

describe('agents for any text environment', () => {
  it('put what there is to know about it before everything else', () => {
    const description = 'A row of drawers.'
    for (const agent of [
      transcriptAgent({ description }),
      windowAgent({ historyTurns: 4, showActions: false, description }),
    ]) {
      for (const messages of [agent.playMessages(transition), agent.predictMessages(transition, { reasoning: true })]) {
        expect(messages[0]).toEqual({ role: 'system', content: description })
      }
    }
    expect(transcriptAgent().playMessages(transition)).toEqual(alfworldTranscript.playMessages(transition))
  })

  it('say nothing of households, and show every command', () => {
    const agent = windowAgent({ historyTurns: 4, showActions: true })
    const [play] = agent.playMessages({ ...transition, actions: ['help', 'look'] })
    const [predict] = agent.predictMessages(transition, { reasoning: true })
    expect(play.content + predict.content).not.toContain('household')
    expect(play.content).toContain('- help')
  })

  it('keep the words that the shipped model and results hang on', () => {
    const first = { ...transition, history: [] }
    expect(
      alfworldWindow({ historyTurns: 4, showActions: true }).playMessages({ ...first, actions: ['look'] }),
    ).toEqual([
      {
        role: 'user',
        content: `You act in a household that is described in text.

Your task in this household: put a mug in desk

What happened so far:
(this is the first step)

Current observation: You see a desk 1.

Commands that are possible now:
- look

Reason step by step about the situation inside <thinking> </thinking>, then write exactly one command, and nothing after it.`,
      },
    ])
    expect(alfworldTranscript.predictMessages(first, { reasoning: true })).toEqual([
      { role: 'user', content: 'You see a desk 1.\nPredict what follows: open drawer 1' },
    ])
  })
})
