import { expect, it } from 'vitest'
import type { Turn } from '../core/index.ts'
import { wastedSteps } from './wasted.ts'

/** `action > answer`; with `!` in front it was not admissible. */
const wasted = (...steps: string[]) =>
  wastedSteps({
    turns: steps.map((step): Turn => {
      const [text, answer] = step.replace('!', '').split(' > ')
      return {
        reply: text,
        action: { kind: 'text', text },
        observation: { from: 'environment', text: answer },
        valid: !step.startsWith('!'),
        tokens: [],
        logprobs: [],
      }
    }),
  }).map(Number)

it('counts what is inadmissible, and what is asked again without anything new', () => {
  expect(wasted('look > a desk', 'look > a desk', '!fly > Nothing happens.')).toEqual([0, 1, 1])
  expect(wasted('look > a desk', '!fly > Nothing happens.', 'look > a desk')).toEqual([0, 1, 1])
})

it('does not count a way back, nor the same action with another answer', () => {
  expect(wasted('go desk > a mug', 'take mug > taken', 'go sink > a sink', 'go desk > a mug')).toEqual([0, 0, 0, 0])
  expect(wasted('look > a desk', 'take mug > taken', 'look > an empty desk')).toEqual([0, 0, 0])
  expect(wasted('open box > empty', 'close box > closed', 'open box > empty')).toEqual([0, 0, 0])
})

it('counts a circle from its second round on', () => {
  const round = ['go desk > a mug', 'go sink > a sink']
  expect(wasted(...round, ...round, ...round)).toEqual([0, 0, 0, 1, 1, 1])
})
