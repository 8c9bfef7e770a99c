import { hash32 } from '../core/index.ts'
import { collect, collectStage, handOn, planCollect } from './collect.ts'
import { free } from './plan.ts'
import type { Stage } from './stage.ts'
import { type OtherPlayers, playInTurn } from './stored-play.ts'

/**
 * Stage 1 for a model that cannot play by itself [ours]: scripts or services play the training tasks, each attempt the next
 * one's, and it learns from what followed. The title says that it was not its own play, which is what the method asks for.
 */
export function collectByStage(others: OtherPlayers): Stage {
  const names = Object.keys(others.players)
  return {
    name: collectStage.name,
    title: `Collect the play of others (${names.join(', ')})`,
    options: { players: names, retries: others.retries ?? 3 },
    async run(context, artifacts) {
      const { rollouts: attempts, maxSteps } = context.config.collect
      const seed = hash32(context.config.seed, 'collect')
      const collected = await collect(context, (tasks) =>
        playInTurn(context, others, { name: 'collect', tasks, attempts, seed, maxSteps }),
      )
      return handOn(collected, artifacts)
    },
    plan(config, rehearsal, expected) {
      const { work, episodes } = planCollect(config, rehearsal, expected)
      return { ...free(`${work}: as fast as they answer`), episodes }
    },
  }
}
