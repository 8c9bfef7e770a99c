import { join } from 'node:path'
import { hash32 } from '../core/index.ts'
import { type Environment, HELD_OUT } from '../environments/index.ts'
import { type ArmResult, policyResult } from '../evaluation/index.ts'
import { writeJson } from '../store/index.ts'
import type { Config } from './config.ts'
import { evaluationTasks } from './evaluate.ts'
import { free } from './plan.ts'
import type { Stage } from './stage.ts'
import { type OtherPlayers, playStored, slug } from './stored-play.ts'

/** The names of the players are those that tables show. */
export interface PlayersOptions extends OtherPlayers {
  /** Default `players`. */
  name?: string
  /** Play here instead of in the environment of training. */
  environment?: Environment
  /** Default: those of `seen`, `unseen` that the environment has. */
  splits?: readonly string[]
  /** Laid over the config's evaluation settings: `tasks`, `runs`, `maxSteps`. */
  settings?: Partial<Config['evaluate']>
}

/**
 * Held-out tasks played by what is not trained (services, scripts), to stand beside the models of a run, on the same tasks. An
 * episode that is finished is kept, whatever happens to the run.
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
          const tasks = evaluationTasks(here, split)
          const samples = Array.from({ length: evaluate.runs }, (_, sample) => sample)
          const played = await playStored(here, {
            name: `${name}-${slug(arm)}-${split}`,
            title: `${arm}, ${split}`,
            slots: samples.flatMap((sample) => tasks.map((task) => ({ task, sample }))),
            player,
            seed: hash32(context.config.seed, 'evaluate'),
            maxSteps: evaluate.maxSteps,
            concurrency,
            retries,
          })
          const runs = samples.map((run) => played.filter(({ sample }) => sample === run))
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
const PLAYERS_FILE = 'players.json'

function summary({ arm, policy }: ArmResult): string {
  const episodes = policy.flatMap((one) => one.episodes)
  const failed = policy.reduce((sum, one) => sum + (one.failed ?? 0), 0)
  const solved = episodes.filter((one) => one.solved).length
  return `${arm}: ${solved} of ${episodes.length} solved${failed > 0 ? `; ${failed} left out, broken not by the agent` : ''}`
}
