import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { observationText, type Transition } from '../core/index.ts'
import { coinFlips, mismatchTargets } from './controls.ts'
import { interleave } from './interleave.ts'

const say = (text: string) => ({ from: 'environment' as const, text })
const transition = (index: number, action: string, next: string): Transition => ({
  id: `${index}`,
  taskId: 't',
  taskKind: 'k',
  instruction: '',
  initial: say(''),
  history: [],
  action: { kind: 'text', text: action },
  next: say(next),
  valid: true,
})
const kindOf = (one: Transition) => (observationText(one.next) === 'n' ? 'nothing' : 'other')

describe('mismatched targets', () => {
  const some = fc
    .array(fc.tuple(fc.constantFrom('go', 'open', 'take'), fc.constantFrom('a', 'b', 'c', 'n')), { maxLength: 60 })
    .map((list) => list.map(([verb, next], index) => transition(index, `${verb} x`, next)))

  it('are exchanged within kind and verb, and meet their own text only where there is no way around it', () => {
    fc.assert(
      fc.property(some, fc.nat(), (transitions, seed) => {
        const { transitions: mismatched, unchanged } = mismatchTargets(transitions, kindOf, seed)
        const groups = new Map<string, { before: string[]; after: string[] }>()
        let equal = 0
        for (const [i, one] of transitions.entries()) {
          expect({ ...mismatched[i], next: null }).toEqual({ ...one, next: null })
          const key = `${kindOf(one)} ${one.action.kind === 'text' && one.action.text}`
          const group = groups.get(key) ?? { before: [], after: [] }
          group.before.push(observationText(one.next))
          group.after.push(observationText(mismatched[i].next))
          groups.set(key, group)
          if (group.before.at(-1) === group.after.at(-1)) equal++
        }
        let unavoidable = 0
        for (const { before, after } of groups.values()) {
          expect([...after].sort()).toEqual([...before].sort())
          const largest = Math.max(...before.map((text) => before.filter((other) => other === text).length))
          unavoidable += Math.max(0, 2 * largest - before.length)
        }
        expect(unchanged).toBe(equal)
        expect(equal).toBe(unavoidable)
      }),
    )
  })
})

describe('coin flips', () => {
  it('are fair, and the same for the same seed', () => {
    const answer = {
      prompt: [],
      omitted: 0,
      tokens: [],
      logprobs: [],
      thinking: null,
      nextState: 'x',
      reward: 1,
      distance: 0,
    }
    const groups = Array.from({ length: 500 }, () => Array.from({ length: 8 }, () => answer))
    const flipped = coinFlips(groups, 1)
    const heads = flipped.flat().filter(({ reward }) => reward === 1).length / 4000
    expect(Math.abs(heads - 0.5)).toBeLessThan(0.03)
    expect(coinFlips(groups, 1)).toEqual(flipped)
    expect(coinFlips(groups, 2)).not.toEqual(flipped)
  })
})

describe('interleaving', () => {
  it('has every step of both, in order and evenly spread', () => {
    fc.assert(
      fc.property(fc.nat(80), fc.nat(80), (worldModel, policy) => {
        const turns = interleave(worldModel, policy)
        for (const [kind, count] of [
          ['worldModel', worldModel],
          ['policy', policy],
        ] as const) {
          expect(turns.filter((turn) => turn.kind === kind).map(({ step }) => step)).toEqual(
            Array.from({ length: count }, (_, step) => step),
          )
        }
        for (const [at, { kind, step }] of turns.entries()) {
          if (kind === 'policy') expect(Math.abs(step + 1 - ((at + 1) * policy) / turns.length)).toBeLessThan(1.0001)
        }
      }),
    )
  })
})
