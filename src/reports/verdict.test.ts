import { describe, expect, it } from 'vitest'
import type { Inline } from './document.ts'
import { fixtureEvaluation } from './testing/evaluation.ts'
import { verdict } from './verdict.ts'

const text = (inlines: Inline[]) =>
  inlines.map((one) => (typeof one === 'string' ? one : 'strong' in one ? one.strong : '')).join('')

/** The fixture's arms, then its trained ones again as arms of a control. */
function besideControl(effect: number): string {
  const own = fixtureEvaluation(7, 1)
  const [, ...trained] = fixtureEvaluation(7, effect).arms
  const controls = trained.map((arm) => ({ ...arm, arm: `${arm.arm}, coin`, control: 'coin flip' }))
  return text(verdict({ evaluation: { ...own, arms: [...own.arms, ...controls] }, config: [] }))
}

describe('a gain beside a control in the same run', () => {
  it('is called ahead where the control stays behind', () => {
    const said = besideControl(0)
    expect(said).toMatch(/^Success on 274 held-out tasks rose from/)
    expect(said).toMatch(
      /In success it is ahead of the control “after policy RL, coin” \(coin flip\), which has [\d.]+%/,
    )
    expect(said).toMatch(/In exact next states it is ahead of the control/)
    expect(said).not.toContain('gained as well')
    // The model on the way to the control is no control to be held against.
    expect(said).not.toContain('after world-model RL, coin')
  })

  it('is said not to be due to what the control lacks where the control gained as much', () => {
    const said = besideControl(1)
    expect(said).toMatch(
      /The control “after policy RL, coin” \(coin flip\) gained as well \([\d.]+%, a difference of ±?0/,
    )
    expect(said).toMatch(/this gain in success is not due to what the control lacks/)
    expect(said).not.toContain('is ahead of')
  })

  it('leaves a run that is all control as it is told', () => {
    const evaluation = fixtureEvaluation(7, 1)
    const arms = evaluation.arms.map((arm, index) => (index === 0 ? arm : { ...arm, control: 'coin flip' }))
    const plain = text(verdict({ evaluation, config: [] }))
    const said = text(verdict({ evaluation: { ...evaluation, arms }, config: [] }))
    expect(said.startsWith(plain.slice(0, 60))).toBe(true)
    expect(said).not.toContain('control')
  })
})
