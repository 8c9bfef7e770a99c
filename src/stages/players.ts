import { join } from 'node:path'
import type { Player } from '../agents/index.ts'
import { hash32, type Task, type Trajectory } from '../core/index.ts'
import { type Environment, HELD_OUT, trajectorySchema } from '../environments/index.ts'
import { type ArmResult, policyResult } from '../evaluation/index.ts'
import { playWith, type Slot } from '../rollouts/index.ts'
import { JsonLines, writeJson } from '../store/index.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'
import { evaluationTasks } from './evaluate.ts'
import { free } from './plan.ts'
import type { Stage } from './stage.ts'

export interface PlayersOptions {
  /** By the name that tables show; a new one for each attempt. */
  players: Record<string, (task: Task, seed: number) => Player>
  /** Default `players`. */
  name?: string
  /** Play here instead of in the environment of training. */
  environment?: Environment
  /** Default: those of `seen`, `unseen` that the environment has. */
  splits?: readonly string[]
  /** Laid over the config's evaluation settings: `tasks`, `runs`, `maxSteps`. */
  settings?: Partial<Config['evaluate']>
  /** Episodes at once. Default 8. */
  concurrency?: number
  /** Attempts after the first at an episode that broke. Default 3. */
  retries?: number
}

/**
 * Held-out tasks played by what is not trained (services, scripts), to stand beside the models of a run: the same tasks as
 * theirs. Every finished episode is on the disk before the next begins, so that a run that was killed plays none of them again.
 */
export function playersStage(options: PlayersOptions): Stage {
  const { name = 'players', players, settings, concurrency = 8, retries = 3 } = options
  return {
    name,
    title: 'Play by others',
    options: {
      players: Object.keys(players),
      environment: options.environment?.name,
      splits: options.splits,
      settings,
      retries,
    },
    async run(context) {
      const environment = options.environment ?? context.environment
      const evaluate = { ...context.config.evaluate, ...settings }
      const here = { ...context, environment, config: { ...context.config, evaluate } }
      const splits = options.splits ?? HELD_OUT.filter((split) => environment.splits().includes(split))
      const arms: ArmResult[] = []
      for (const [arm, player] of Object.entries(players)) {
        const policy: ArmResult['policy'] = []
        for (const split of splits) {
          const played = await playStored(here, { stage: name, arm, split, player, concurrency, retries })
          const runs = Array.from({ length: evaluate.runs }, (_, run) => played.filter(({ sample }) => sample === run))
          policy.push(policyResult(split, runs, environment, context.agent))
        }
        arms.push({ arm, checkpoint: '', policy, worldModel: [] })
      }
      writeJson(join(context.run.stageFolder(name), PLAYERS_FILE), arms)
      return { notes: arms.map(summary) }
    },
    plan: () => free(`${Object.keys(players).join(', ')}: as fast as they answer`),
  }
}

/** In the folder of the stage: its results, as `evaluation.json` has those of models. */
export const PLAYERS_FILE = 'players.json'

interface Part {
  stage: string
  arm: string
  split: string
  player(task: Task, seed: number): Player
  concurrency: number
  retries: number
}

/** In the order of tasks and runs, whatever order they ended in. */
async function playStored(context: StageContext, part: Part): Promise<Trajectory[]> {
  const { run, config, environment, progress, signal } = context
  const { stage, arm, split, player, concurrency, retries } = part
  const { runs, maxSteps } = config.evaluate
  const slots = Array.from({ length: runs }, (_, sample) =>
    evaluationTasks(context, split).map((task): Slot => ({ task, sample })),
  ).flat()
  const path = run.rolloutsFile(`${stage}-${arm.replace(/[^a-z0-9]+/gi, '-')}-${split}`)
  const stored = new JsonLines(path, trajectorySchema)
  try {
    const key = ({ task, sample }: Slot) => `${sample} ${task.id}`
    const played = new Map([...stored].map((one) => [key(one), one]))
    const left = slots.filter((slot) => !played.has(key(slot)))
    progress.start(`${arm}, ${split}`, slots.length)
    progress.update(slots.length - left.length)
    await playWith(left, {
      environment,
      player,
      seed: hash32(config.seed, 'evaluate'),
      maxSteps,
      concurrency,
      retries,
      signal,
      onEpisode(trajectory) {
        stored.append([trajectory])
        played.set(key(trajectory), trajectory)
        progress.update(played.size)
      },
    })
    progress.finish()
    return slots.map((slot) => played.get(key(slot))!)
  } finally {
    stored.close()
  }
}

function summary({ arm, policy }: ArmResult): string {
  const episodes = policy.flatMap((one) => one.episodes)
  const failed = policy.reduce((sum, one) => sum + (one.failed ?? 0), 0)
  const solved = episodes.filter((one) => one.solved).length
  return `${arm}: ${solved} of ${episodes.length} solved${failed > 0 ? `; ${failed} left out, broken not by the agent` : ''}`
}
