import type { Player } from '../agents/index.ts'
import { hash32, type Task, type Trajectory } from '../core/index.ts'
import { trajectorySchema } from '../environments/index.ts'
import { playWith, type Slot } from '../rollouts/index.ts'
import { JsonLines } from '../store/index.ts'
import type { StageContext } from './context.ts'

export interface StoredPlay {
  /** Of the file in the run's rollouts, and what progress shows. */
  name: string
  title: string
  slots: readonly Slot[]
  /** A new one for each attempt. */
  player(task: Task, seed: number): Player
  seed: number
  maxSteps: number
  /** Episodes at once. */
  concurrency: number
  /** Attempts after the first at an episode that broke. */
  retries: number
}

/**
 * Episodes of players that are not trained. Each is on the disk as soon as it is finished, so that a run that was killed
 * plays, and pays for, none of them again. @returns in the order of the slots, whatever order they ended in
 */
export async function playStored(
  { run, environment, progress, signal }: StageContext,
  { name, title, slots, player, ...options }: StoredPlay,
): Promise<Trajectory[]> {
  const stored = new JsonLines(run.rolloutsFile(name), trajectorySchema)
  try {
    const key = ({ task, sample }: Slot) => `${sample} ${task.id}`
    const played = new Map([...stored].map((one) => [key(one), one]))
    progress.start(title, slots.length)
    progress.update(played.size)
    await playWith(
      slots.filter((slot) => !played.has(key(slot))),
      {
        ...options,
        environment,
        player,
        signal,
        onEpisode(trajectory) {
          stored.append([trajectory])
          played.set(key(trajectory), trajectory)
          progress.update(played.size)
        },
      },
    )
    const solved = [...played.values()].filter(({ reward = 0 }) => reward > 0).length
    progress.finish(`${solved} of ${slots.length} solved`)
    return slots.map((slot) => played.get(key(slot))!)
  } finally {
    stored.close()
  }
}

/** Who plays in the model's place. */
export interface OtherPlayers {
  /** By name; a new one for each attempt. */
  players: Record<string, (task: Task, seed: number) => Player>
  /** Episodes at once. Default 8. */
  concurrency?: number
  /** Attempts after the first at an episode that broke. Default 3. */
  retries?: number
}

/** Each task `attempts` times, the players in turn: each attempt is the next one's. */
export async function playInTurn(
  context: StageContext,
  { players, concurrency = 8, retries = 3 }: OtherPlayers,
  play: { name: string; tasks: readonly Task[]; attempts: number; seed: number; maxSteps: number },
): Promise<Trajectory[]> {
  const { name, tasks, attempts, seed, maxSteps } = play
  const names = Object.keys(players)
  const trajectories: Trajectory[] = []
  for (const [index, player] of names.entries()) {
    const samples = Array.from({ length: attempts }, (_, sample) => sample).filter(
      (sample) => sample % names.length === index,
    )
    const played = await playStored(context, {
      name: `${name}-${slug(player)}`,
      title: `play by ${player}`,
      slots: tasks.flatMap((task) => samples.map((sample) => ({ task, sample }))),
      player: players[player],
      seed,
      maxSteps,
      concurrency,
      retries,
    })
    trajectories.push(...played)
  }
  return trajectories
}

/** Part of a file's name. */
export function slug(name: string): string {
  const plain = name.replace(/[^a-z0-9]+/gi, '-')
  // Two names that differ in what a file's name leaves out are two.
  return /^[a-z0-9 -]+$/i.test(name) ? plain : `${plain}-${hash32('name', name).toString(16)}`
}
