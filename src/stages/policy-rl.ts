import { hash32, Random } from '../core/index.ts'
import type { GroupMember } from '../learning/index.ts'
import { playWave, type Slot } from '../rollouts/index.ts'
import type { Checkpoint } from '../store/index.ts'
import { trainingTasks } from './collect.ts'
import type { StageContext } from './context.ts'
import { type Rollout, reinforce } from './reinforce.ts'

/** Stage 4: learn by RL on the task's own success, starting from a checkpoint (method, section 5). */
export async function policyRl(context: StageContext, start: string, stage = 'policy-rl'): Promise<Checkpoint> {
  const { config } = context
  const tasks = trainingTasks(context)
  const perEpoch = Math.max(1, Math.floor(tasks.length / config.policy.tasks))
  return reinforce(context, {
    stage,
    title: 'policy RL',
    start,
    steps: config.policy.steps,
    settings: config.policy,
    longest: config.policy.maxTokens * config.policy.maxSteps,
    rollout: (step) => {
      const order = new Random('tasks', config.seed, stage, Math.floor(step / perEpoch)).shuffle(tasks)
      const at = (step % perEpoch) * config.policy.tasks
      const slots = order
        .slice(at, at + config.policy.tasks)
        .flatMap((task) => Array.from({ length: config.policy.groupSize }, (_, sample) => ({ task, sample })))
      return playGroups(context, slots, hash32(config.seed, stage, step))
    },
  })
}

async function playGroups(context: StageContext, slots: Slot[], seed: number): Promise<Rollout> {
  const { environment, agent, format, trainer, config, signal } = context
  const { groupSize, temperature, maxSteps, maxTokens, invalidPenalty } = config.policy
  const trajectories = await playWave(slots, {
    environment,
    agent,
    format,
    sampler: trainer.sampler(),
    seed,
    temperature,
    maxSteps,
    maxTokens,
    signal,
  })
  const groups: GroupMember[][] = []
  for (let i = 0; i < trajectories.length; i += groupSize) {
    const group = trajectories.slice(i, i + groupSize)
    // The penalty ranks attempts where success itself differs; a group that all failed (or all solved) stays without
    // variance, and is counted as what it is.
    const mixed = group.some(({ reward }) => reward !== group[0].reward)
    groups.push(
      group.map(({ turns, reward, sequences }) => {
        const invalid = turns.filter((turn) => !turn.valid).length / turns.length
        return { sequences, reward: (reward ?? 0) - (mixed ? invalidPenalty * invalid : 0) }
      }),
    )
  }
  const turns = trajectories.flatMap((one) => one.turns)
  return {
    groups,
    metrics: {
      success: trajectories.filter((one) => (one.reward ?? 0) > 0).length / trajectories.length,
      invalidShare: turns.filter((turn) => !turn.valid).length / turns.length,
      steps: turns.length / trajectories.length,
      cutShare: turns.filter((turn) => turn.tokens.length >= maxTokens).length / turns.length,
      restarts: trajectories.reduce((sum, one) => sum + one.sequences.length - 1, 0),
    },
  }
}
