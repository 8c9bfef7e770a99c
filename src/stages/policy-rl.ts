import { hash32, Random } from '../core/index.ts'
import type { Sampler } from '../engines/index.ts'
import type { GroupMember } from '../learning/index.ts'
import { playWave, type Slot } from '../rollouts/index.ts'
import { armsOf, UNTRAINED, untrainedArm } from './arms.ts'
import { latestCheckpoint } from './checkpoints.ts'
import { trainingTasks } from './collect.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'
import { PERMUTED } from './controls.ts'
import { observedMasks } from './environment-tokens.ts'
import { type GroupStep, groupLoop, type Rollout, usesReference } from './group-step.ts'
import { type Expected, free, ofLength, planArms, type Rehearsal, type StagePlan, times } from './plan.ts'
import { type Stage, startOf, type TrainingStage } from './stage.ts'
import { storedWave } from './waves.ts'

export interface PolicyOptions {
  /** `permuted advantages` is a control: see `controls.ts`. Default `true`. */
  teaches?: 'true' | typeof PERMUTED
  /** Laid over the config's. */
  settings?: Partial<Config['policy']>
}

/**
 * Stage 4: learn by RL on the task's own success (method, section 5). Left out where the environment has no reward; where no reward
 * varies, what it started from is its result.
 */
export function policyStage(options: TrainingStage & PolicyOptions = {}): Stage {
  const { name = 'policy-rl', arm = 'after policy RL' } = options
  return {
    name,
    title: options.teaches === PERMUTED ? `Policy RL, ${PERMUTED}` : 'Policy RL',
    arm,
    options: { ...options },
    placed: (place) => policyStage({ ...options, ...place }),
    async run(context, artifacts) {
      if (artifacts.rewarded === false) {
        return { notes: ['left out: there is no task reward to play for'] }
      }
      const settings = { ...context.config.policy, ...options.settings }
      const permuted = options.teaches === PERMUTED
      const work = { ...policyWork(context, name, settings), permuted }
      const start = startOf(artifacts, name, options.from)
      const traits = { start, control: permuted ? PERMUTED : undefined }
      const { varied, groups } = await firstVariance(context, name, start, settings)
      if (groups > 0 && varied === 0 && settings.environmentTokens === 0) {
        const nothing = `left out: within none of ${groups} groups did the reward vary, so there is nothing to learn from`
        context.warn(`policy RL is ${nothing}: take easier tasks, larger groups, or a model that solves some of them`)
        untrainedArm(artifacts, name, arm, traits)
        return { notes: [nothing, UNTRAINED] }
      }
      const loop = {
        stage: name,
        title: options.name ?? 'policy RL',
        start,
        steps: settings.steps,
        reference: usesReference(work),
        keep: options.curve,
      }
      const checkpoint = await groupLoop(context, loop, (step) => ({ work, step }))
      armsOf(context, artifacts, checkpoint, arm, options.curve, traits)
      return {
        notes: [`${checkpoint.step} steps; before them the reward varied within ${varied} of ${groups} groups`],
      }
    },
    plan(config, rehearsal, expected) {
      if (!rehearsal.rewarded) return free('left out: no task reward')
      planArms(expected, options.curve)
      return policyPlan({ ...config, policy: { ...config.policy, ...options.settings } }, rehearsal, expected)
    },
  }
}

/** Waves that are looked at before it is given up that a reward varies. */
const LOOKED_AT = 4

/**
 * Groups of the model that the stage starts from, and how many of them teach anything: those of the first step, or, where none of
 * them does, of as many steps' tasks as it takes until one does.
 */
async function firstVariance(
  context: StageContext,
  stage: string,
  start: string,
  settings: Config['policy'],
): Promise<{ varied: number; groups: number }> {
  const first = policyWork(context, stage, settings)
  // Played for this alone: by the time of their step, the weights would be others.
  const more = policyWork(context, `${stage}-before`, settings)
  if (!latestCheckpoint(context.run, stage)) await context.trainer.loadWeights(start)
  let [varied, groups] = [0, 0]
  const waves = Math.min(LOOKED_AT, settings.steps)
  context.progress.start('groups before', waves)
  for (let step = 0; step < waves && varied === 0; step++) {
    const wave = await (step === 0 ? first : more).rollout(step, context.trainer.sampler())
    groups += wave.groups.length
    varied += wave.groups.filter((group) => group.some(({ reward }) => reward !== group[0].reward)).length
    context.progress.update(step + 1, `${varied} of ${groups} vary`)
  }
  context.progress.finish()
  return { varied, groups }
}

/** At most: groups that do not vary are not trained on. */
export function policyPlan({ collect, policy }: Config, { episode }: Rehearsal, expected: Expected): StagePlan {
  const { steps } = policy
  const tasks = Math.min(policy.tasks, collect.tasks, expected.tasks)
  const episodes = steps * tasks * policy.groupSize
  const cost = ofLength(episode, policy.maxSteps / collect.maxSteps)
  // What the environment answers is learned in a pass of its own.
  const passes = policy.environmentTokens > 0 ? 2 : 1
  const trained = { ...cost, trained: passes * cost.trained, trainSeconds: passes * cost.trainSeconds }
  return {
    ...times(trained, episodes, { training: true, reference: policy.kl.coefficient > 0 }),
    work: `${tasks} tasks × ${policy.groupSize} episodes a step`,
    episodes,
    steps,
    shows: 'episode',
  }
}

/** What the steps of policy RL do. Tasks and draws depend on the step alone, so that arms of one seed are paired. */
export function policyWork(context: StageContext, stage: string, settings: Config['policy']): GroupStep {
  const { config } = context
  const tasks = trainingTasks(context)
  const perEpoch = Math.max(1, Math.floor(tasks.length / settings.tasks))
  return {
    settings,
    longest: settings.maxTokens * settings.maxSteps,
    rollout: (step, sampler) => {
      const order = new Random('tasks', config.seed, 'policy-rl', Math.floor(step / perEpoch)).shuffle(tasks)
      const at = (step % perEpoch) * settings.tasks
      const slots = order
        .slice(at, at + settings.tasks)
        .flatMap((task) => Array.from({ length: settings.groupSize }, (_, sample) => ({ task, sample })))
      return playGroups(context, sampler, slots, stage, step, settings)
    },
  }
}

async function playGroups(
  context: StageContext,
  sampler: Sampler,
  slots: Slot[],
  stage: string,
  step: number,
  settings: Config['policy'],
): Promise<Rollout> {
  const { environment, agent, format, config, run, signal } = context
  const { groupSize, temperature, maxSteps, maxTokens, invalidPenalty, environmentTokens } = settings
  const path = run.rolloutsFile(`${stage}-${String(step).padStart(4, '0')}`)
  const trajectories = await storedWave(path, slots.length, () =>
    playWave(slots, {
      environment,
      agent,
      format,
      sampler,
      seed: hash32(config.seed, 'policy-rl', step),
      temperature,
      maxSteps,
      maxTokens,
      signal,
    }),
  )
  const groups: GroupMember[][] = []
  for (let i = 0; i < trajectories.length; i += groupSize) {
    // An episode that broke for a reason that is not the agent's says nothing of the agent.
    const group = trajectories.slice(i, i + groupSize).filter(({ failed }) => failed === undefined)
    if (group.length === 0) continue
    // The penalty ranks attempts where success itself differs; a group that all failed (or all solved) stays without
    // variance, and is counted as what it is.
    const mixed = group.some(({ reward }) => reward !== group[0].reward)
    groups.push(
      group.map((trajectory): GroupMember => {
        const { turns, reward, sequences } = trajectory
        const invalid = turns.filter((turn) => !turn.valid).length / turns.length
        return {
          sequences,
          reward: (reward ?? 0) - (mixed ? invalidPenalty * invalid : 0),
          ...(environmentTokens > 0 && { observed: observedMasks(format, trajectory) }),
        }
      }),
    )
  }
  const turns = trajectories.flatMap((one) => one.turns)
  const isObserved = groups.flat().some(({ observed }) => observed?.some((mask) => mask.includes(1)))
  if (environmentTokens > 0 && step === 0 && !isObserved) {
    context.warn(
      `policy.environmentTokens = ${environmentTokens} has nothing to learn from: in the first step no prompt of ${agent.name} shows what an action led to as the environment told it`,
    )
  }
  return {
    groups,
    metrics: {
      success: trajectories.filter((one) => (one.reward ?? 0) > 0).length / trajectories.length,
      invalidShare: turns.filter((turn) => !turn.valid).length / turns.length,
      steps: turns.length / trajectories.length,
      cutShare: turns.filter((turn) => turn.tokens.length >= maxTokens).length / turns.length,
      restarts: trajectories.reduce((sum, one) => sum + one.sequences.length - 1, 0),
      shortened: trajectories.reduce((sum, { shortened = 0 }) => sum + shortened, 0),
      outgrown: trajectories.filter(({ outgrown }) => outgrown).length,
      failed: trajectories.filter(({ failed }) => failed !== undefined).length,
    },
  }
}
