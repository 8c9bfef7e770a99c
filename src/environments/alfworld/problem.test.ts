import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UserError } from '../../core/index.ts'
import { generateHouse } from './house.ts'
import { type GoalKind, parseProblem, TASK_TYPES } from './problem.ts'
import { problemText } from './problemtext.ts'

const kinds = Object.keys(TASK_TYPES) as GoalKind[]

describe('parseProblem', () => {
  it('reads back every problem that problemText writes', () => {
    const house = fc.record({ seed: fc.nat(), kind: fc.constantFrom(...kinds), size: fc.constantFrom('small', 'full') })
    fc.assert(
      fc.property(house, ({ seed, kind, size }) => {
        const { problem } = generateHouse({ seed, size: size as 'small' | 'full', split: 'train', kinds: [kind] }).game
        const read = parseProblem(problemText(problem))
        const byId = (items: { id: string }[]) => [...items].sort((a, b) => (a.id < b.id ? -1 : 1))
        expect(byId(read.objects)).toEqual(byId(problem.objects))
        expect(byId(read.receptacles)).toEqual(byId(problem.receptacles))
        expect(read.goal).toEqual(problem.goal)
        expect(read.start).toBe(problem.start)
      }),
      { numRuns: 60 },
    )
  })

  it('does not care about white space and repeated facts', () => {
    const text = `(:init (atLocation agent1 L)(atLocation
      agent1   L) (receptacleType S ShelfType) (receptacleAtLocation S L)
      (objectType A AppleType) (inReceptacle A S) (inReceptacle A S))
      (:goal (exists (?r ?o) (and (inReceptacle ?o ?r) (objectType ?o AppleType) (receptacleType ?r ShelfType))))`
    const problem = parseProblem(text)
    expect(problem.objects).toMatchObject([{ id: 'A', type: 'Apple', inside: ['S'] }])
    expect(problem.goal).toEqual({ kind: 'place', object: 'Apple', receptacle: 'Shelf' })
  })

  it('answers any text with a problem or with one line that says what is wrong', () => {
    const piece = fc.constantFrom(
      '(:init',
      '(:goal',
      '(atLocation a b)',
      '(objectType ?o XType)',
      '(what is)',
      ')',
      ' ',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((parts) => parts.join('')),
        ),
        (text) => {
          try {
            parseProblem(text)
          } catch (error) {
            expect(error).toBeInstanceOf(UserError)
          }
        },
      ),
    )
  })
})
