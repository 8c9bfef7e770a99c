import { join } from 'node:path'
import { type Action, hash32, type Observation, observationText, type Task, UserError } from '../../core/index.ts'
import type { Environment, Episode, OpenOptions, StepResult } from '../environment.ts'
import { findDataFolder, isFolder } from './folder.ts'
import type { Game } from './game.ts'
import { withoutStop } from './gamefile.ts'
import { Games } from './games.ts'
import { generateHouse } from './house.ts'
import { type HouseOptions, houseId } from './houseid.ts'
import { HOUSE_SPLITS, type HouseSize, type HouseSplit } from './layout.ts'
import { currentListing, isGroundedTake } from './listing.ts'
import { alfworldPlanner } from './planner.ts'
import { Play } from './play.ts'
import { type GoalKind, TASK_TYPES } from './problem.ts'
import { scanSplit } from './scan.ts'
import { transitionKind } from './transitionkind.ts'
import { variants } from './variants.ts'

/** Households drawn by the generator instead of read from disk. */
export interface GenerateOptions {
  size: HouseSize
  /** Households in each split; splits left out are empty. */
  counts: Partial<Record<HouseSplit, number>>
  /** Other seeds give other households of the same families of layouts. Default 0. */
  seed?: number
  shuffle?: number
}

export interface AlfworldOptions {
  /** A data folder or its parent; looked for in the usual places when absent. Not used with `generate`. */
  data?: string
  generate?: GenerateOptions
  /** Only tasks of these kinds. Default: all six. */
  kinds?: GoalKind[]
  /** Where notices go (a stand-in for a missing split, trials left out, unknown rules). Default: standard error. */
  warn?: (message: string) => void
}

/** One attempt at an ALFWorld task. Reward is 1 when won and 0 otherwise. */
export class AlfworldEpisode implements Episode {
  readonly play: Play
  readonly initial: Observation
  private readonly maxSteps: number
  private steps = 0

  constructor(game: Game, maxSteps = Number.POSITIVE_INFINITY) {
    this.play = new Play(game)
    this.initial = { from: 'environment', text: this.play.initial }
    this.maxSteps = maxSteps
  }

  /** An action that is no text command counts as a step in which nothing happens. */
  step(action: Action): StepResult {
    const { observation, valid, won } = this.play.step(action.kind === 'text' ? action.text : '')
    this.steps++
    return {
      observation: { from: 'environment', text: observation },
      done: won,
      truncated: !won && this.steps >= this.maxSteps,
      valid,
      reward: won ? 1 : 0,
    }
  }

  actions(): string[] {
    return this.play.admissible()
  }
}

/** ALFWorld, whose games are also at hand for planners and re-placing. */
export interface AlfworldEnvironment extends Environment {
  game(task: Task): Game
  open(task: Task, options: OpenOptions): AlfworldEpisode
}

/**
 * ALFWorld from a data folder (splits `train`, `seen`, `unseen`) or from the generator (also `base`).
 * @throws UserError when no data folder is found, or it holds no playable game; the message says where it looked and what was
 * left out.
 */
export function alfworldEnvironment(options: AlfworldOptions = {}): AlfworldEnvironment {
  const warn = options.warn ?? ((message) => console.error(message))
  const source = options.generate
    ? generatedSource(options.generate, options.kinds, warn)
    : folderSource(options.data, options.kinds, warn)
  const { splits, games } = source
  return {
    name: 'alfworld',
    splits: () => [...splits],
    tasks: (split) => {
      if (!splits.includes(split)) {
        throw new UserError(`alfworld has no split "${split}"; it has ${splits.join(', ') || 'none'} (${source.where})`)
      }
      return source.tasks(split)
    },
    game: (task) => games.get(task.id),
    open: (task, { maxSteps }) => new AlfworldEpisode(games.get(task.id), maxSteps),
    planner: (task, seed) => alfworldPlanner(games.get(task.id), seed),
    transitionKind,
    variants,
    grounded({ initial, history, action }) {
      if (action.kind !== 'text') return null
      return isGroundedTake(
        action.text,
        currentListing([initial, ...history.map((turn) => turn.observation)].map(observationText)),
      )
    },
  }
}

interface Source {
  /** For messages: where its games come from. */
  where: string
  splits: string[]
  games: Games
  tasks(split: string): Task[]
}

const FOLDERS: Record<string, string[]> = {
  train: ['train', 'valid_train'],
  seen: ['valid_seen'],
  unseen: ['valid_unseen'],
}

function folderSource(
  data: string | undefined,
  kinds: GoalKind[] | undefined,
  warn: (message: string) => void,
): Source {
  const folder = findDataFolder(data)
  const present = new Map<string, string>()
  for (const [split, names] of Object.entries(FOLDERS)) {
    const name = names.find((each) => isFolder(join(folder, each)))
    if (name) present.set(split, name)
  }
  const tasks = onceForEach((split) => {
    const name = present.get(split) as string
    if (split === 'train' && name !== 'train') {
      warn(`alfworld: ${folder} has no "train"; "${name}" stands in for it`)
    }
    const { tasks, skipped } = scanSplit(folder, name, split)
    const reasons = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`)
    const left = reasons.length > 0 ? `; left out: ${reasons.join(', ')}` : ''
    if (tasks.length === 0) {
      throw new UserError(
        `no playable game in ${join(folder, name)}${left || ' (no trials)'}; fetch the data again, or name another folder`,
      )
    }
    if (left) warn(`alfworld: ${split}: ${tasks.length} games${left}`)
    if (!kinds) return tasks
    const types = kinds.map((kind) => TASK_TYPES[kind])
    const wanted = tasks.filter(({ kind }) => types.includes(kind))
    if (wanted.length === 0) {
      throw new UserError(
        `none of the ${tasks.length} games in ${join(folder, name)} is of the kind ${types.join(' or ')}; ask for other kinds`,
      )
    }
    return wanted
  })
  return { where: folder, splits: [...present.keys()], games: new Games(folder, warn), tasks }
}

/** Households tried for each one wanted, until a layout that training has is found; then any will do. */
const SEEN_TRIES = 50

function generatedSource(
  options: GenerateOptions,
  kinds: GoalKind[] | undefined,
  warn: (message: string) => void,
): Source {
  const { size, counts, seed = 0, shuffle } = options
  const games = new Games(undefined, warn)
  const houseAt = (split: HouseSplit, index: number): HouseOptions => ({
    seed: hash32('alfworld', seed, index),
    size,
    split,
    kinds,
    shuffle,
  })
  const layoutAt = (house: HouseOptions) => {
    const { room, layout } = generateHouse(house)
    return `${room} ${layout}`
  }
  const tasks = onceForEach((name) => {
    const split = name as HouseSplit
    const wanted = counts[split] ?? 0
    // Seen layouts are those of the training households at hand, with other objects and tasks in them.
    const trained =
      split === 'seen' && counts.train
        ? new Set(Array.from({ length: counts.train }, (_, index) => layoutAt(houseAt('train', index))))
        : null
    const list: Task[] = []
    for (let index = 0; list.length < wanted; index++) {
      const house = houseAt(split, index)
      if (trained && index < SEEN_TRIES * wanted && !trained.has(layoutAt(house))) continue
      const game = games.get(houseId(house))
      list.push({ id: game.id, split, kind: TASK_TYPES[game.goal.kind], instruction: withoutStop(game.taskLine) })
    }
    return list
  })
  return { where: 'generated households', splits: HOUSE_SPLITS.filter((split) => counts[split]), games, tasks }
}

/** Remember the tasks of each split. */
function onceForEach(list: (split: string) => Task[]): (split: string) => Task[] {
  const known = new Map<string, Task[]>()
  return (split) => {
    const tasks = known.get(split) ?? list(split)
    known.set(split, tasks)
    return tasks
  }
}
