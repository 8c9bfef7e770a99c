import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { generateHouse, houseFile } from '../environments/alfworld/index.ts'
import { chooseGame, playCommand, playGame } from './play.ts'

const { game, ...rest } = generateHouse({ seed: 2, size: 'small', split: 'train' })
const plan = houseFile({ game, ...rest }).walkthrough as string[]

async function play(lines: string[], maxSteps = 50) {
  const output = new PassThrough()
  const result = await playGame(game, maxSteps, Readable.from(lines.map((line) => `${line}\n`)), output)
  return { ...result, text: String(output.read()) }
}

it('plays piped commands until the game is won', async () => {
  const { won, steps, text } = await play([...plan, 'look'])
  expect({ won, steps }).toEqual({ won: true, steps: plan.length })
  expect(text).toContain(`> ${plan[0]}`)
  expect(text).toMatch(/Solved in \d+ steps\.\n$/)
})

it('stops at the limit; asking takes no step', async () => {
  const { won, steps, text } = await play(['?', 'hint', 'look', 'look', 'look'], 2)
  expect({ won, steps }).toEqual({ won: false, steps: 2 })
  expect(text).toContain('inventory\nlook')
  expect(text).toContain(plan[0])
})

it('takes the game that is named, by file or by folder', () => {
  const folder = join(
    import.meta.dirname,
    '../environments/alfworld/testing/tiny-2.1.2/json_2.1.1/valid_seen/pick_heat_then_place_in_recep-Tomato-None-Fridge-0/trial_tiny',
  )
  const options = { seed: 0, maxSteps: 50 }
  for (const path of [folder, join(folder, 'game.tw-pddl')]) {
    expect(chooseGame({ ...options, game: path }, () => {}).taskLine).toBe('heat some tomato and put it in fridge.')
  }
  expect(() => chooseGame({ ...options, game: 'missing.tw-pddl' }, () => {})).toThrow(/cannot read the game missing/)
})

it('shows examples in its help', () => {
  const [alfworld] = playCommand().commands
  expect(alfworld.name()).toBe('alfworld')
})
