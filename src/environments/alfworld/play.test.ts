import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readGame } from './gamefile.ts'
import { generateHouse } from './house.ts'
import { Play } from './play.ts'

const trial = 'json_2.1.1/valid_seen/pick_heat_then_place_in_recep-Tomato-None-Fridge-0/trial_tiny/game.tw-pddl'
const tinyText = (release: string) =>
  readFileSync(join(import.meta.dirname, 'testing', `tiny-${release}`, trial), 'utf8')
const tiny = () => new Play(readGame(tinyText('2.1.2'), 'tiny'))

/** A game file in upstream's form, with a grammar of our own wording around the lines that are read. */
function upstreamFile(domain: string): string {
  const { pddl_problem } = JSON.parse(tinyText('2.1.2')) as { pddl_problem: string }
  const grammar = `{"task": [{"rhs": "Your task is to: put a hot tomato in fridge."}]}
    action PutObject { template :: "move {o} to {r}"; }
    action help { template :: "help"; feedback :: "\n  First line\n  second line\n"; }`
  return JSON.stringify({ pddl_domain: domain, grammar, pddl_problem, solvable: true })
}

describe('a play', () => {
  it('does exactly the admissible commands', () => {
    const walk = fc.record({ seed: fc.nat(), choices: fc.array(fc.nat(), { maxLength: 30 }) })
    fc.assert(
      fc.property(walk, ({ seed, choices }) => {
        const { game } = generateHouse({ seed, size: 'small', split: 'train' })
        const play = new Play(game)
        const known = new Set<string>(['help me', 'open', 'Look'])
        for (const choice of choices) {
          const admissible = play.admissible()
          expect(admissible).toEqual([...new Set(admissible)].sort())
          for (const command of admissible) known.add(command)
          // Commands that were possible at some time, done now: valid exactly when they are listed now.
          const list = [...known]
          const command = list[choice % list.length]
          expect(play.step(command).valid).toBe(admissible.includes(command))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('keeps the quirks of an object that starts in two receptacles', () => {
    const play = tiny()
    play.step('go to cabinet 2')
    play.step('open cabinet 2')
    play.step('take mug 1 from cabinet 2')
    expect(play.step('go to countertop 1').observation).toContain('a mug 1')
    expect(play.step('look').observation).toBe('You are facing the countertop 1. Next to it, you see nothing.')
  })

  it('takes white space at the ends, and nothing else, as it comes', () => {
    const play = tiny()
    expect(play.step(' \tgo to countertop 1\n').valid).toBe(true)
    expect(play.step('take  mug 1 from countertop 1')).toEqual({
      observation: 'Nothing happens.',
      valid: false,
      won: false,
    })
    expect(play.step('').valid).toBe(false)
  })

  it('can be undone by the player and is then no longer won', () => {
    const play = tiny()
    const game = play.world.game
    for (const command of game.walkthrough ?? []) play.step(command)
    expect(play.world.isWon()).toBe(true)
    expect(play.step('take tomato 2 from fridge 1').won).toBe(false)
  })
})

describe('game files', () => {
  it('an unknown domain gets the nearest rules and a warning', () => {
    const warnings: string[] = []
    const game = readGame(upstreamFile('(define (domain other))'), 'a game', (message) => warnings.push(message))
    expect(game.rules.version).toBe('2.1.2')
    expect(game.help).toBe('First line\n  second line\n')
    expect(game.taskLine).toBe('put a hot tomato in fridge.')
    expect(warnings.join()).toMatch(/^unknown ALFWorld domain/)
  })

  it.each([
    ['no json', 'not JSON'],
    ['{}', 'needs the keys'],
    ['{"rules":"2.1.2","task":"x","pddl_problem":"nothing"}', 'no \\(:init'],
    ['{"rules":"9","task":"x","pddl_problem":""}', 'rules must be .*"2.1.2"'],
    ['{"rules":"2.1.2","task":3,"pddl_problem":""}', 'task must be text'],
    ['{"pddl_domain":"x","grammar":null,"pddl_problem":""}', 'grammar must be text'],
    ['{"pddl_domain":"x","grammar":"y","pddl_problem":"","solvable":"yes"}', 'solvable must be true or false'],
    ['{"rules":"2.1.2","task":"x","pddl_problem":"(:init (objectType a))(:goal"}', '"\\(objectType a\\)", which lacks'],
    [tinyText('2.1.2').slice(0, 900), 'cut off'],
  ])('%s: one line with the name of the game', (text, reason) => {
    expect(() => readGame(text, 'a game')).toThrow(new RegExp(`^a game: .*${reason}`))
  })
})
