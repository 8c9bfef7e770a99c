import { admissibleCommands, execute } from './commands.ts'
import type { Game } from './game.ts'
import { introText, NOTHING_HAPPENS } from './texts.ts'
import { World } from './world.ts'

/** What one command led to. */
export interface PlayStep {
  observation: string
  /** The command was admissible. */
  valid: boolean
  won: boolean
}

/** One play of a game by its own rules, without a step limit; upstream's behaviour, command by command. */
export class Play {
  readonly world: World
  readonly initial: string
  private commands: string[] | undefined

  constructor(game: Game) {
    this.world = new World(game)
    this.initial = introText(this.world)
  }

  step(command: string): PlayStep {
    const answer = execute(this.world, command.trim())
    if (answer !== null) this.commands = undefined
    return { observation: answer ?? NOTHING_HAPPENS, valid: answer !== null, won: this.world.isWon() }
  }

  /** Every command that can be done now, sorted by code point. */
  admissible(): string[] {
    this.commands ??= admissibleCommands(this.world)
    return this.commands
  }
}
