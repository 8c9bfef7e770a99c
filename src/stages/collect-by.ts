import type { Player } from '../agents/index.ts'
import { hash32, type Task, type Trajectory } from '../core/index.ts'
import { collect, collectStage, handOn, planCollect } from './collect.ts'
import { free } from './plan.ts'
import type { Stage } from './stage.ts'
import { playStored, slug } from './stored-play.ts'

/** What others play for the model, in turn: each attempt at a task is the next one's. */
export interface CollectByOptions {
  /** By name; a new one for each attempt. */
  players: Record<string, (task: Task, seed: number) => Player>
  /** Episodes at once. Default 8. */
  concurrency?: number
  /** Attempts after the first at an episode that broke. Default 3. */
  retries?: number
}

/**
 * Stage 1 for a model that cannot play by itself [ours]: scripts or services play the training tasks, and it learns from what
 * followed. The title says that it was not its own play, which is what the method asks for.
 */
export function collectByStage({ players, concurrency = 8, retries = 3 }: CollectByOptions): Stage {
  const names = Object.keys(players)
  return {
    name: collectStage.name,
    title: `Collect the play of others (${names.join(', ')})`,
    options: { players: names, retries },
    async run(context, artifacts) {
      const { rollouts, maxSteps } = context.config.collect
      const collected = await collect(context, async (tasks) => {
        const trajectories: Trajectory[] = []
        for (const [index, name] of names.entries()) {
          const samples = Array.from({ length: rollouts }, (_, sample) => sample).filter(
            (sample) => sample % names.length === index,
          )
          const played = await playStored(context, {
            name: `collect-${slug(name)}`,
            title: `play by ${name}`,
            slots: tasks.flatMap((task) => samples.map((sample) => ({ task, sample }))),
            player: players[name],
            seed: hash32(context.config.seed, 'collect'),
            maxSteps,
            concurrency,
            retries,
          })
          trajectories.push(...played)
        }
        return trajectories
      })
      return handOn(collected, artifacts)
    },
    plan(config, rehearsal, expected) {
      const { work, episodes } = planCollect(config, rehearsal, expected)
      return { ...free(`${work}: as fast as they answer`), episodes }
    },
  }
}
