import type { TokenPlan } from '../evaluation/index.ts'
import type { Config } from './config.ts'

/** What a plan is made of, counted on collected play; tokens are means. */
export interface PlanCounts {
  /** Transitions for training and for the filter model. */
  train: number
  filter: number
  /** Left by the filter; null before it ran. */
  kept: number | null
  /** Of a prompt that asks for the next state, of the true next state given directly, and of a model's answer where known. */
  promptTokens: number
  labelTokens: number
  answerTokens: number | null
  /** Of one collected episode: what the model wrote, and all of it. */
  episode: { sampled: number; total: number }
}

/**
 * Tokens of the stages to come with these settings. A group shares its prompt, which is trained on once. Episodes of policy
 * RL are taken to be as long as collected ones, cut to its step limit.
 */
export function tokenPlans(config: Config, counts: PlanCounts): TokenPlan[] {
  const { filter, worldModel, policy, collect } = config
  const plans: TokenPlan[] = []
  if (filter.rule !== 'none') {
    plans.push({
      stage: 'filter',
      title: 'Filter',
      steps: Math.ceil(counts.filter / filter.batch) * filter.epochs,
      sampled: Math.round(counts.train * filter.draws * counts.labelTokens),
      trained: Math.round(counts.filter * filter.epochs * (counts.promptTokens + counts.labelTokens)),
      basis: 'answers as long as true next states',
      sampling: 'predict',
    })
  }
  const kept = counts.kept ?? counts.train
  const perEpoch = Math.ceil(kept / worldModel.batch)
  const all = perEpoch * worldModel.epochs
  const steps = worldModel.maxSteps > 0 ? Math.min(worldModel.maxSteps, all) : all
  const prompts = Math.min(steps * worldModel.batch, kept * worldModel.epochs)
  const answer = counts.answerTokens ?? counts.labelTokens
  plans.push({
    stage: 'world-model-rl',
    title: 'World-model RL',
    steps,
    sampled: Math.round(prompts * worldModel.groupSize * answer),
    trained: Math.round(prompts * (counts.promptTokens + worldModel.groupSize * answer)),
    basis: [
      ...(counts.kept === null ? ['as if the filter kept all'] : []),
      counts.answerTokens === null
        ? 'answers as long as true next states, without their thoughts'
        : 'answers as long as those drawn here',
    ].join('; '),
    sampling: 'predict',
  })
  const cut = Math.min(1, policy.maxSteps / collect.maxSteps)
  const episodes = policy.steps * policy.tasks * policy.groupSize
  plans.push({
    stage: 'policy-rl',
    title: 'Policy RL',
    steps: policy.steps,
    sampled: Math.round(episodes * counts.episode.sampled * cut),
    trained: Math.round(episodes * counts.episode.total * cut),
    basis: 'episodes as long as collected ones',
    sampling: 'play',
  })
  return plans
}
