import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { Command } from 'commander'
import { Random, UserError } from '../core/index.ts'
import {
  type AlfworldEnvironment,
  alfworldEnvironment,
  GAME_FILE,
  type Game,
  generateHouse,
  loadGame,
  nextExpertCommand,
  Play,
} from '../environments/index.ts'
import { wholeNumber } from './numbers.ts'
import { pathName } from './paths.ts'

export interface PlayOptions {
  /** A game file or the folder of a trial. */
  game?: string
  data?: string
  seed: number
  maxSteps: number
}

/** The game that the options ask for: the one named, else one from the data, else a generated small household. */
export function chooseGame({ game, data, seed }: PlayOptions, say: (line: string) => void): Game {
  if (game !== undefined) {
    const path = existsSync(game) && statSync(game).isDirectory() ? join(game, GAME_FILE) : game
    return loadGame(path, path, say)
  }
  let environment: AlfworldEnvironment
  try {
    environment = alfworldEnvironment({ data, warn: say })
  } catch (error) {
    if (data !== undefined || !(error instanceof UserError)) throw error
    say('No ALFWorld data found (--data DIR, ALFWORLD_DATA): playing a generated household.')
    return generateHouse({ seed, size: 'small', split: 'train' }).game
  }
  const random = new Random('play', seed)
  return environment.game(random.pick(environment.tasks(random.pick(environment.splits()))))
}

/**
 * Play a game with commands read line by line, until it is won, given up or out of steps. On a terminal: a prompt, history,
 * and the tab key completes what can be done. `?` lists that, `hint` asks the expert, `quit` gives up; none takes a step.
 */
export async function playGame(
  game: Game,
  maxSteps: number,
  input: Readable & { isTTY?: boolean },
  output: Writable,
): Promise<{ won: boolean; steps: number }> {
  const play = new Play(game)
  const terminal = input.isTTY === true
  const say = (text: string) => output.write(`${text}\n`)
  const words = () => [...play.admissible(), '?', 'hint', 'quit']
  const lines = createInterface({
    input,
    output: terminal ? output : undefined,
    terminal,
    prompt: '> ',
    completer: (line: string) => [words().filter((word) => word.startsWith(line.trimStart())), line],
  })
  say(
    `${game.id}\n\n${play.initial}\n\n(? lists what you can do, hint asks the expert, quit leaves; ${maxSteps} steps)\n`,
  )
  let steps = 0
  let won = play.world.isWon()
  if (terminal) lines.prompt()
  for await (const line of lines) {
    const command = line.trim()
    if (!terminal) say(`> ${command}`)
    if (command === 'quit') break
    if (command === '?') say(play.admissible().join('\n'))
    else if (command === 'hint') say(nextExpertCommand(play.world) ?? 'The expert knows no way from here.')
    else if (command !== '') {
      const step = play.step(command)
      steps++
      won = step.won
      say(`${step.observation.trimEnd()}\n`)
    }
    if (won || steps >= maxSteps) break
    if (terminal) lines.prompt()
  }
  lines.close()
  say(`${won ? 'Solved in' : 'Not solved after'} ${steps} ${steps === 1 ? 'step' : 'steps'}.`)
  return { won, steps }
}

/** `rwml play alfworld`. */
export function playCommand(): Command {
  const command = new Command('play')
    .description('play an environment yourself, in the terminal')
    .addHelpText('after', '\nExample:\n  rwml play alfworld --seed 7')
  command
    .command('alfworld')
    .description('play an ALFWorld game: one you name, one from your data, or a generated household')
    .option('--game <path>', 'a game.tw-pddl, or the folder of a trial', pathName)
    .option('--data <dir>', 'folder of ALFWorld data (else ALFWORLD_DATA, else ~/.cache/alfworld)', pathName)
    .option('--seed <n>', 'which game', wholeNumber(), 0)
    .option('--max-steps <n>', 'commands before the game ends', wholeNumber(1), 50)
    .addHelpText(
      'after',
      `
Examples:
  rwml play alfworld --seed 7
  rwml play alfworld --game json_2.1.1/valid_seen/pick_and_place_simple-…/trial_…
  printf 'go to fridge 1\\nopen fridge 1\\n' | rwml play alfworld --seed 7`,
    )
    .action(async (options: PlayOptions) => {
      const game = chooseGame(options, (line) => process.stderr.write(`${line}\n`))
      await playGame(game, options.maxSteps, process.stdin, process.stdout)
    })
  return command
}
