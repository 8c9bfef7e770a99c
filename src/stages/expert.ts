import { replyFor } from '../agents/index.ts'
import { hash32, type Trajectory, UserError } from '../core/index.ts'
import { HELD_OUT } from '../environments/index.ts'
import { trainingTasks } from './collect.ts'
import type { StageContext } from './context.ts'
import { readExpertFile } from './expert-file.ts'
import { free } from './plan.ts'
import type { Stage } from './stage.ts'
import { type OtherPlayers, playInTurn } from './stored-play.ts'

/**
 * Where demonstrations come from: the environment's own planner; a file of trajectories or chat logs; or players, such as a stronger
 * model, whose successes are kept (rejection sampling). Several players take turns: each attempt at a task is the next one's.
 */
export type ExpertSource = 'planner' | { file: string } | Pick<OtherPlayers, 'players'>

export interface ExpertOptions {
  /** Default `planner`. */
  source?: ExpertSource
  /** Default `expert`. */
  name?: string
  /** At each training task. Default 1. */
  attempts?: number
  /** Episodes at once. Default 8. */
  concurrency?: number
  /** Attempts after the first at an episode that broke. Default 3. */
  retries?: number
}

/** What an expert did on training tasks, as far as it succeeded: what imitation learns (method, section 6). */
export function expertStage(options: ExpertOptions = {}): Stage {
  const { source = 'planner', name = 'expert', attempts = 1, retries = 3 } = options
  const file = typeof source === 'object' && 'file' in source ? source.file : null
  const players = typeof source === 'object' && 'players' in source ? source.players : null
  const who = file ?? (players ? Object.keys(players).join(', ') : 'planner')
  return {
    name,
    title: `What an expert does (${who})`,
    options: {
      source: file ?? (players ? Object.keys(players) : 'planner'),
      ...(file === null && { attempts, retries }),
    },
    files: file === null ? [] : [file],
    async run(context, artifacts) {
      const found =
        file === null
          ? await play(context, { ...options, name, attempts, retries }, players ?? plannerOf(context))
          : readExpertFile(file)
      const { kept, counts } = demonstrations(context, found)
      const left = Object.entries(counts).flatMap(([why, count]) => (count > 0 ? [`${count} ${why}`] : []))
      if (kept.length === 0) {
        throw new UserError(
          `of ${found.length} attempts of ${who} none can be learned from (${left.join(', ') || 'there are none'}): take another expert, more attempts, or easier tasks`,
        )
      }
      artifacts.expert = kept
      const tasks = new Set(kept.map(({ task }) => task.id)).size
      const actions = kept.flatMap(({ turns }) => turns).filter(({ action }) => action !== null).length
      return {
        notes: [
          `${kept.length} of ${found.length} attempts of ${who} kept: ${tasks} tasks, ${actions} actions`,
          ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
        ],
      }
    },
    plan({ collect }, _, expected) {
      const tasks = Math.min(expected.tasks, collect.tasks)
      expected.expert = file === null ? tasks * attempts : readExpertFile(file).length
      const work = file === null ? `${tasks} tasks × ${attempts}, by ${who}: as fast as that is` : `reads ${file}`
      return { ...free(work), episodes: file === null ? expected.expert : 0 }
    },
  }
}

function plannerOf({ environment }: StageContext): OtherPlayers['players'] {
  const { planner } = environment
  if (planner) return { planner: (task, seed) => planner(task, seed) }
  throw new UserError(
    `${environment.name} has no planner: give it a member planner(task, seed), or take expertStage({ source: { file } }) or ({ source: { players } })`,
  )
}

async function play(
  context: StageContext,
  { name, attempts, concurrency, retries }: ExpertOptions & { name: string; attempts: number },
  players: OtherPlayers['players'],
): Promise<Trajectory[]> {
  const { environment, config } = context
  if (environment.recorded) {
    throw new UserError(`${environment.name} was recorded and cannot be played: take expertStage({ source: { file } })`)
  }
  return playInTurn(
    context,
    { players, concurrency, retries },
    {
      name,
      tasks: trainingTasks(context),
      attempts,
      seed: hash32(config.seed, 'expert'),
      maxSteps: config.collect.maxSteps,
    },
  )
}

/** Those that can be learned from, their replies in the agent's own format, and why the others cannot. */
function demonstrations({ environment, agent }: StageContext, found: readonly Trajectory[]) {
  const splits = HELD_OUT.filter((split) => environment.splits().includes(split))
  const heldOut = new Set(splits.flatMap((split) => environment.tasks(split).map(({ id }) => id)))
  const counts = {
    'not solved': 0,
    'broken not by the player': 0,
    'of held-out tasks': 0,
    'with an action that the agent’s format cannot carry': 0,
  }
  const kept = found.flatMap((one): Trajectory[] => {
    if (one.failed !== undefined) counts['broken not by the player']++
    else if (heldOut.has(one.task.id)) counts['of held-out tasks']++
    else if (!isSolved(one)) counts['not solved']++
    else {
      const turns = one.turns.map((turn) => ({
        ...turn,
        reply: turn.action ? replyFor(agent, turn.action, turn.reply) : '',
      }))
      const written = turns.flatMap(({ reply, ...turn }) => (reply === null ? [] : [{ ...turn, reply }]))
      if (written.length === turns.length) return [{ ...one, turns: written }]
      counts['with an action that the agent’s format cannot carry']++
    }
    return []
  })
  return { kept, counts }
}

/** By its reward; without one, that it came to an end. */
function isSolved({ reward, done, turns }: Trajectory): boolean {
  return turns.length > 0 && (reward === undefined ? done : reward > 0)
}
