import { describe, expect, it } from 'vitest'
import { groupByPrefix, groupRows, inputLength, planRuns, type Sequence } from './groups.ts'

/** A sequence of which the tokens after `prompt` are wanted. */
function sequence(index: number, tokens: number[], prompt: number): Sequence {
  return { index, tokens, selected: tokens.flatMap((_, t) => (t >= prompt ? [t] : [])) }
}

const prompt = Array.from({ length: 20 }, (_, i) => i)

describe('groupByPrefix', () => {
  it('finds the answers of one prompt, up to the token before the first answer', () => {
    const groups = groupByPrefix(
      [1, 2, 3].map((a) => sequence(a, [...prompt, a, a], 20)),
      false,
    )
    expect(groups.map((group) => [group.prefix, group.members.map((m) => m.index)])).toEqual([[19, [1, 2, 3]]])
    expect(groupRows(groups[0])).toBe(19 + 3 * 2)
  })

  it('shares no row whose prediction is wanted, unless asked for rows in prefixes', () => {
    const data = [1, 2].map((a) => sequence(a, [...prompt, a], 5))
    expect(groupByPrefix(data, false).map((group) => group.prefix)).toEqual([0, 0])
    // With rows in prefixes, the last shared row predicts a token that is still common.
    expect(groupByPrefix(data, true).map((group) => group.prefix)).toEqual([19])
  })

  it('keeps prompts apart where sharing less would cost more', () => {
    const other = prompt.map((token, i) => (i < 9 ? token : token + 50))
    const data = [
      ...[1, 2, 3].map((a) => sequence(a, [...prompt, a], 20)),
      ...[4, 5, 6].map((a) => sequence(a, [...other, a], 20)),
    ]
    expect(groupByPrefix(data, false).map((group) => [group.prefix, group.members.length])).toEqual([
      [19, 3],
      [19, 3],
    ])
    expect(groupByPrefix([data[0], data[3]], false).map((group) => group.prefix)).toEqual([9])
  })

  it('takes identical sequences, and one alone as plain', () => {
    const same = [0, 1].map((i) => sequence(i, prompt, 19))
    expect(groupByPrefix(same, false)[0].prefix).toBe(18)
    expect(groupByPrefix(same, true)[0].prefix).toBe(18)
    expect(groupByPrefix([same[0]], false)).toEqual([{ prefix: 0, members: [same[0]] }])
  })
})

describe('planRuns', () => {
  it('keeps within the budget, splits what is too big, and loses nothing', () => {
    const groups = [
      ...groupByPrefix(
        Array.from({ length: 30 }, (_, i) => sequence(i, [...prompt, i, i, i], 20)),
        false,
      ),
      ...groupByPrefix(
        Array.from({ length: 5 }, (_, i) => sequence(30 + i, [100 + i, ...prompt], 1 + i)),
        false,
      ),
    ]
    const runs = planRuns(groups, 50)
    for (const run of runs) {
      expect(run.reduce((sum, group) => sum + groupRows(group), 0)).toBeLessThanOrEqual(50)
      expect(new Set(run.map((group) => group.prefix > 0)).size).toBe(1)
    }
    const indices = runs.flat().flatMap((group) => group.members.map((member) => member.index))
    expect(indices.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 35 }, (_, i) => i))
  })

  it('leaves a group whole that keeps within a budget of its own', () => {
    const groups = groupByPrefix(
      Array.from({ length: 30 }, (_, i) => sequence(i, [...prompt, i, i, i], 20)),
      false,
    )
    expect(planRuns(groups, 50).length).toBeGreaterThan(1)
    expect(planRuns(groups, 50, 200).map((run) => run.map(groupRows))).toEqual([groups.map(groupRows)])
  })

  it('gives a sequence longer than the budget a run of its own', () => {
    const long = groupByPrefix(
      [
        sequence(
          0,
          Array.from({ length: 90 }, (_, i) => i),
          1,
        ),
      ],
      false,
    )
    expect(planRuns(long, 50).map((run) => run.map(groupRows))).toEqual([[89]])
    expect(inputLength(long[0].members[0])).toBe(89)
  })
})
