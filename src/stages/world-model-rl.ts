import { hash32, Random, type Transition, UserError } from '../core/index.ts'
import { answerSequence, predictAndScore, predictionPrompt } from '../evaluation/index.ts'
import type { GroupMember } from '../learning/index.ts'
import type { WorldModelReward } from '../rewards/index.ts'
import type { Checkpoint } from '../store/index.ts'
import type { StageContext } from './context.ts'
import { type Rollout, reinforce } from './reinforce.ts'

/** Stage 3: learn by RL to predict what one's own actions lead to (method, section 4). */
export async function worldModelRl(
  context: StageContext,
  transitions: Transition[],
  reward: WorldModelReward,
): Promise<Checkpoint> {
  const { config } = context
  const { batch, epochs, maxSteps } = config.worldModel
  if (transitions.length === 0) {
    throw new UserError('no transition is left to train the world model on: collect more, or keep more in the filter')
  }
  const perEpoch = Math.ceil(transitions.length / batch)
  const steps = maxSteps > 0 ? Math.min(maxSteps, perEpoch * epochs) : perEpoch * epochs
  return reinforce(context, {
    stage: 'world-model-rl',
    title: 'world-model RL',
    start: context.baseModel,
    steps,
    settings: config.worldModel,
    longest: config.worldModel.maxTokens,
    rollout: (step) => {
      const epoch = Math.floor(step / perEpoch)
      const order = new Random('order', config.seed, epoch).shuffle(transitions)
      const at = (step % perEpoch) * batch
      return predictGroups(context, order.slice(at, at + batch), reward, step)
    },
  })
}

async function predictGroups(
  context: StageContext,
  transitions: Transition[],
  reward: WorldModelReward,
  step: number,
): Promise<Rollout> {
  const { agent, format, trainer, config } = context
  const { groupSize, temperature, maxTokens } = config.worldModel
  const sampler = trainer.sampler()
  await sampler.reset()
  const groups = await predictAndScore(
    transitions,
    {
      agent,
      format,
      sampler,
      n: groupSize,
      temperature,
      maxTokens,
      seed: hash32(config.seed, 'world-model-rl', step),
      reasoning: true,
    },
    reward,
  )
  const members = groups.map((group, i) => {
    const prompt = predictionPrompt(agent, format, transitions[i], true)
    return group.map((answer): GroupMember => ({ reward: answer.reward, sequences: [answerSequence(prompt, answer)] }))
  })
  const answers = groups.flat()
  const share = (sum: number) => sum / Math.max(1, answers.length)
  return {
    groups: members,
    metrics: {
      parseRate: share(answers.filter(({ nextState }) => nextState !== null).length),
      cutShare: share(answers.filter(({ tokens }) => tokens.length >= maxTokens).length),
      answerTokens: share(answers.reduce((sum, { tokens }) => sum + tokens.length, 0)),
    },
  }
}
