import { describe, expect, it } from 'vitest'
import { policyStage, worldModelSftStage, worldModelStage } from '../stages/index.ts'
import { decide } from './claim-rule.ts'
import { claimsOf } from './claims.ts'
import { differenceOf } from './compare.ts'
import type { RecordedArm } from './record.ts'
import type { Study } from './study.ts'
import { inventedResults } from './testing/fixture.ts'

const seeds = [1, 2, 3, 4, 5]
const policy = policyStage()
const right = { measure: 'right', unit: 'share', better: 'up' } as const
const study: Study = {
  seeds,
  arms: {
    base: [],
    'WM SFT': [worldModelSftStage()],
    RWML: [worldModelStage()],
    'policy RL': [policy],
    'WM SFT → policy RL': [worldModelSftStage(), policy],
    'RWML → policy RL': [worldModelStage(), policy],
  },
}

/** Points that a seed lies off, the same for all arms, and a little of an arm's own. */
const wobble = (arm: string, seed: number) => 2 * seed + ((Object.keys(study.arms).indexOf(arm) * seed) % 3)

function verdicts(levels: Record<string, number>): Record<string, string> {
  const results = inventedResults(study, (arm, seed) => ({ solved: (levels[arm] ?? 20) + wobble(arm, seed) }))
  return Object.fromEntries(claimsOf(results).map(({ claim, verdict }) => [claim, verdict]))
}

describe('the claims of the paper', () => {
  it('are held where they hold, and not held where the opposite does', () => {
    const same = { base: 30, 'policy RL': 50, 'WM SFT → policy RL': 50 }
    expect(verdicts({ ...same, 'WM SFT': 10, RWML: 45, 'RWML → policy RL': 65 })).toEqual({
      'WM SFT alone falls below the base': 'held',
      'RWML alone beats the base': 'held',
      'WM SFT → Policy RL does about as well as Policy RL (ALFWorld)': 'held',
      'RWML → Policy RL beats Policy RL': 'held',
      'RWML forgets less than WM SFT': 'not tested',
      'RWML moves fewer weights than WM SFT': 'not tested',
      'Policy RL moves about as many weights after RWML as after the base': 'not tested',
      'Policy RL moves more weights after WM SFT than after the base': 'not tested',
      'Stronger bases gain more': 'not tested',
      'A judge as the reward can be hacked': 'not tested',
    })
    expect(
      verdicts({ ...same, 'WM SFT': 45, RWML: 10, 'RWML → policy RL': 35, 'WM SFT → policy RL': 70 }),
    ).toMatchObject({
      'WM SFT alone falls below the base': 'not held',
      'RWML alone beats the base': 'not held',
      'WM SFT → Policy RL does about as well as Policy RL (ALFWorld)': 'not held',
      'RWML → Policy RL beats Policy RL': 'not held',
    })
  })

  it('are undetectable where seeds differ more than methods do', () => {
    const rule = { claim: '', says: 'above 0' as const, missing: '' }
    const decided = (
      first: number[],
      second: number[],
      corrected: number | null,
      says: 'above 0' | 'about 0' = 'above 0',
    ) => decide({ ...rule, says, difference: differenceOf(first, second) }, corrected).verdict
    expect(decided([0.3, 0.5, 0.2], [0.4, 0.4, 0.4], 0.6)).toBe('undetectable here')
    expect(decided([0.3, 0.5, 0.2], [0.4, 0.4, 0.4], null, 'about 0')).toBe('undetectable here')
    // One seed says nothing of another, and three that are equal to the last digit say no more.
    expect(decided([0.1], [0.9], null)).toBe('undetectable here')
    expect(decided([0.3, 0.3, 0.3], [0.3, 0.3, 0.3], 1)).toBe('undetectable here')
    // No difference found, and no room for one.
    expect(decided([0.3, 0.5, 0.4], [0.301, 0.5, 0.399], 1)).toBe('not held')
    expect(decide({ ...rule, difference: null, missing: 'needs x' }, null)).toMatchObject({
      verdict: 'not tested',
      why: 'needs x',
    })
  })

  it('are corrected for how many of them are tested', () => {
    // By itself one of the two would be found: p is about 0.04.
    const [first, second] = [
      [0.3, 0.31, 0.32, 0.33],
      [0.33, 0.36, 0.34, 0.4],
    ]
    const difference = differenceOf(first, second)!
    expect(difference.p).toBeLessThan(0.05)
    const rule = { claim: '', says: 'above 0' as const, missing: '', difference }
    expect(decide(rule, difference.p!).verdict).toBe('held')
    expect(decide(rule, 2 * difference.p!).verdict).toBe('undetectable here')
  })

  it('about RWML are not held where a control rises as much', () => {
    const controlled: Study = {
      ...study,
      arms: { ...study.arms, mismatched: [worldModelStage({ teaches: 'mismatched targets' })] },
    }
    const claim = (control: number) => {
      const results = inventedResults(controlled, (arm, seed) => ({
        solved: (arm === 'RWML' ? 45 : arm === 'mismatched' ? control : 20) + wobble(arm, seed) + (arm.length % seed),
      }))
      return claimsOf(results).find((one) => one.claim === 'RWML alone beats the base')!
    }
    expect(claim(20).verdict).toBe('held')
    expect(claim(32).verdict).toBe('held')
    expect(claim(45).verdict).toBe('undetectable here')
    expect(claim(45).why).toContain('but the control mismatched rises too')
  })

  it('about forgetting go by accuracy, else by loss, and never by the form of replies', () => {
    const claim = (scores: (arm: string, seed: number) => NonNullable<RecordedArm['benchmarks']>) => {
      const results = inventedResults(study, (arm, seed) => ({ solved: 20, benchmarks: scores(arm, seed) }))
      return claimsOf(results).find((one) => one.claim === 'RWML forgets less than WM SFT')!
    }
    const parsed = (arm: string, seed: number) => ({
      ...right,
      measure: 'parsed',
      value: (arm === 'RWML' ? 0.9 : 0.2) + seed / 1000,
    })
    const loss = (arm: string, seed: number) => ({
      measure: 'loss',
      unit: 'number' as const,
      better: 'down' as const,
      value: (arm === 'RWML' ? 1.2 : 1.5) + (seed * arm.length) / 1000,
    })
    expect(claim((arm, seed) => ({ 'Replies that parse': parsed(arm, seed) })).verdict).toBe('not tested')
    const lost = claim((arm, seed) => ({ Loss: loss(arm, seed), 'Replies that parse': parsed(arm, seed) }))
    expect(lost).toMatchObject({ verdict: 'held' })
    expect(lost.why).toMatch(/^\+0\.3\d*, 95 %/)
    const known = (arm: string, seed: number) => ({
      ...right,
      value: (arm === 'RWML' ? 0.3 : 0.6) + (seed * arm.length) / 1000,
    })
    expect(claim((arm, seed) => ({ Loss: loss(arm, seed), IFEval: known(arm, seed) })).verdict).toBe('not held')
  })

  it('about weights take a difference for none by how many move at all', () => {
    const moved = (sft: (seed: number) => number) =>
      claimsOf(
        inventedResults(
          study,
          () => ({ solved: 20 }),
          (seed) => [
            { from: 'base', to: 'RWML', moved: 0.001, cells: [] },
            { from: 'base', to: 'WM SFT', moved: sft(seed), cells: [] },
          ],
        ),
      ).find((one) => one.claim === 'RWML moves fewer weights than WM SFT')!.verdict
    // Ten times as many, of seeds that differ: half a point is a great deal here.
    expect(moved((seed) => 0.001 + (seed % 2 ? 0.0001 : 0.009))).toBe('undetectable here')
    expect(moved((seed) => 0.001 + seed * 1e-6 * (seed % 2 ? 1 : -1))).toBe('not held')
  })

  it('about judges need an interval that leaves no room for better predictions', () => {
    const judged: Study = {
      seeds,
      arms: { base: [], judged: { stages: [worldModelStage()], settings: { reward: { kind: 'rouge' } } } },
    }
    const verdict = (exact: (seed: number) => number) => {
      const results = inventedResults(judged, (arm, seed) => ({
        solved: 20,
        exact: arm === 'base' ? 0.4 : exact(seed),
        rewarded: arm === 'base' ? 0.4 : 0.9 + seed / 1000,
      }))
      results.study.worlds.judged = { 'reward.kind': 'judge' }
      return claimsOf(results).at(-1)!.verdict
    }
    expect(verdict((seed) => 0.4 - seed / 1000)).toBe('held')
    expect(verdict((seed) => 0.4 + (seed % 2 ? 0.2 : -0.1))).toBe('undetectable here')
  })

  it('about weights, forgetting, bases and judges go by their own figures', () => {
    const wide: Study = {
      seeds,
      arms: {
        ...study.arms,
        judged: { stages: [worldModelStage()], settings: { reward: { kind: 'rouge' } } },
        'from a stronger base': { stages: [worldModelStage(), policy], settings: { model: { path: 'models/large' } } },
      },
    }
    const results = inventedResults(
      wide,
      (arm, seed, world) => ({
        solved:
          (world === 'from-a-stronger-base' ? 40 : 20) +
          (arm === 'base' ? 0 : world === 'from-a-stronger-base' ? 30 : 10) +
          wobble(arm, seed),
        exact: arm === 'judged' ? 0.4 + seed / 1000 : 0.4 + seed / 999,
        rewarded: arm === 'judged' ? 0.9 + seed / 1000 : 0.4 + seed / 999,
        benchmarks: {
          IFEval: {
            ...right,
            value: (arm === 'WM SFT' ? 0.5 : arm === 'RWML' ? 0.6 : 0.7) + (seed * arm.length) / 1000,
          },
        },
      }),
      (seed) => {
        const pair = (from: string, to: string, moved: number) => ({
          from,
          to,
          moved: moved + seed / 1e4,
          cells: [],
        })
        return [
          pair('base', 'WM SFT', 0.4),
          { ...pair('base', 'RWML', 0.1), moved: 0.1 },
          pair('base', 'policy RL', 0.2),
          { ...pair('RWML', 'RWML → policy RL', 0.21), moved: 0.21 },
          { ...pair('WM SFT', 'WM SFT → policy RL', 0.4), moved: 0.4 },
        ]
      },
    )
    // Rewards by a judge are chosen by a setting that says so.
    results.study.worlds.judged = { 'reward.kind': 'judge' }
    const found = Object.fromEntries(claimsOf(results).map(({ claim, verdict }) => [claim, verdict]))
    expect(found).toMatchObject({
      'RWML forgets less than WM SFT': 'held',
      'RWML moves fewer weights than WM SFT': 'held',
      'Policy RL moves about as many weights after RWML as after the base': 'held',
      'Policy RL moves more weights after WM SFT than after the base': 'held',
      'Stronger bases gain more': 'held',
      'A judge as the reward can be hacked': 'held',
    })
  })
})
