import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { hash32, Random, type Task, type Trajectory, type Transition } from '../core/index.ts'
import { type Environment, HELD_OUT } from '../environments/index.ts'
import {
  type ArmResult,
  armSchema,
  baselinePredictors,
  type EvaluationResult,
  policyResult,
  predict,
  type WorldModelResult,
  worldModelResult,
} from '../evaluation/index.ts'
import type { WorldModelReward } from '../rewards/index.ts'
import { playWave } from '../rollouts/index.ts'
import { readJson, writeFileAtomic, writeJson } from '../store/index.ts'
import type { Arm } from './arms.ts'
import { asked } from './asked.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'
import { ofLength, times } from './plan.ts'
import { need, type Stage } from './stage.ts'
import { type OtherPlayers, playInTurn, slug } from './stored-play.ts'
import { checkStillSame, storedWave } from './waves.ts'

export interface EvaluateOptions {
  /** Default `evaluate`, whose results are the run's `evaluation.json`; another's stand in its stage folder. */
  name?: string
  /** Play here instead of in the environment of training. */
  environment?: Environment
  /** Splits to evaluate on; those of `seen`, `unseen` that the environment has when absent. */
  splits?: readonly string[]
  /** Names of the arms to evaluate; all when absent. */
  arms?: readonly string[]
  /**
   * Who plays the held-out transitions, each of them every task once [ours]. Default: the base model, which may do too little for
   * them to show much.
   */
  heldOutBy?: OtherPlayers
  /** Laid over the config's evaluation settings. */
  settings?: Partial<Config['evaluate']>
}

/** Stage 5: every arm on held-out tasks. */
export function evaluateStage(options: EvaluateOptions = {}): Stage {
  const { name = 'evaluate', environment, splits, heldOutBy, settings } = options
  const playedBy = heldOutBy && Object.keys(heldOutBy.players)
  return {
    name,
    title: 'Evaluate on held-out tasks',
    options: { name, environment: environment?.name, splits, arms: options.arms, heldOutBy: playedBy, settings },
    async run(context, artifacts) {
      const collected = need(artifacts.collected, name, 'collect')
      const reward = need(artifacts.reward, name, 'reward')
      const here: StageContext = {
        ...context,
        environment: environment ?? context.environment,
        config: { ...context.config, evaluate: { ...context.config.evaluate, ...settings } },
      }
      const arms = artifacts.arms.filter(({ arm }) => options.arms?.includes(arm) ?? true)
      const evaluation = await evaluate(here, {
        stage: name,
        arms,
        splits: splits ?? HELD_OUT.filter((split) => here.environment.splits().includes(split)),
        training: collected.train,
        heldOutBy,
        reward,
        rewarded: collected.counts.rewarded > 0,
      })
      if (name === 'evaluate') artifacts.evaluation = evaluation
      return { notes: [`${arms.length} checkpoints`] }
    },
    plan(config, { episode, prediction, turns, rewarded }, { arms, heldOut }) {
      const evaluated = { ...config.evaluate, ...settings }
      const counts = (splits ?? Object.keys(heldOut)).map((split) => heldOut[split] ?? 0)
      const tasks = counts.map((count) => (evaluated.tasks > 0 ? Math.min(count, evaluated.tasks) : count))
      const sum = (list: number[]) => list.reduce((total, one) => total + one, 0)
      const runs = rewarded ? evaluated.runs : 0
      const episodes = sum(tasks) * runs * arms
      const asked = sum(tasks.map((count) => Math.min(count * turns, evaluated.transitions)))
      const predictions = Math.round(asked) * arms
      const played = times(ofLength(episode, evaluated.maxSteps / config.collect.maxSteps), episodes)
      // The transitions to predict are played once, as in collection, or as fast as others answer.
      const once = times(episode, playedBy ? 0 : sum(tasks))
      const predicted = times(prediction, predictions)
      return {
        work: `${arms} models: ${runs > 0 ? `${sum(tasks)} tasks × ${runs} runs, ` : ''}${Math.round(asked)} transitions`,
        episodes: episodes + sum(tasks) * (playedBy?.length ?? 1),
        steps: 0,
        sampled: played.sampled + once.sampled + predicted.sampled,
        trained: 0,
        seconds: played.seconds + once.seconds + predicted.seconds,
      }
    },
  }
}

interface Evaluation {
  stage: string
  arms: Arm[]
  splits: readonly string[]
  /** What the baselines know. */
  training: Transition[]
  heldOutBy?: OtherPlayers
  reward: WorldModelReward
  /** The environment gives a task reward: there is success to measure. */
  rewarded: boolean
}

/**
 * Success and world-model accuracy of every arm on held-out splits: the same tasks, seeds and transitions for all. The
 * transitions are collected once by the base and kept, invalid ones included. One file an arm, so that an
 * interrupted evaluation goes on with the next.
 */
async function evaluate(context: StageContext, what: Evaluation): Promise<EvaluationResult> {
  const { config, environment, progress, run } = context
  const { stage, arms, splits, reward } = what
  const heldOut = new Map<string, Transition[]>()
  const results: ArmResult[] = []
  const folder = run.stageFolder(stage)
  const runs = what.rewarded ? config.evaluate.runs : 0
  progress.start(stage, arms.length * splits.length * (runs + 1))
  let done = 0
  await context.trainer.loadWeights(context.baseModel)
  for (const split of splits) heldOut.set(split, await heldOutTransitions(context, what, split))
  for (const { arm, path: model, ...traits } of arms) {
    const name = slug(arm)
    const reasoning = traits.reasoning ?? config.worldModel.reasoning
    await context.trainer.loadWeights(model)
    const path = join(folder, `${name}.json`)
    if (!existsSync(path)) {
      const checkpoint = relative(run.path, model)
      const result: ArmResult = { arm, checkpoint, ...traits, reasoning, policy: [], worldModel: [] }
      for (const split of splits) {
        const tasks = evaluationTasks(context, split)
        const played: Trajectory[][] = []
        for (let index = 0; index < runs; index++) {
          const file = run.rolloutsFile(`${stage}-${name}-${split}-${index}`)
          played.push(await storedWave(file, tasks.length, () => playSplit(context, tasks, index)))
          progress.update(++done, arm)
        }
        if (runs > 0) result.policy.push(policyResult(split, played, environment, context.agent))
        result.worldModel.push(await predictSplit(context, split, heldOut.get(split)!, reward, reasoning))
        progress.update(++done, arm)
      }
      writeFileAtomic(path, JSON.stringify(result))
    } else done += splits.length * (runs + 1)
    results.push(readJson(path, armSchema))
  }
  const worldModelBaselines: WorldModelResult[] = []
  for (const split of splits) {
    for (const [name, predictor] of Object.entries(baselinePredictors(what.training, context.agent))) {
      const transitions = heldOut.get(split)!
      const predicted = transitions.map((one) => ({ thinking: null, nextState: predictor(one) }))
      worldModelBaselines.push(await worldModelResult(name, split, transitions, predicted, environment, reward))
    }
  }
  const { temperature, maxSteps } = config.evaluate
  const evaluation = {
    arms: results,
    worldModelBaselines,
    settings: {
      temperature,
      maxSteps,
      runs,
      seed: config.seed,
      ...(what.heldOutBy && { heldOutBy: Object.keys(what.heldOutBy.players) }),
    },
  }
  const file = stage === 'evaluate' ? run.evaluationFile : join(folder, 'evaluation.json')
  writeJson(file, evaluation)
  progress.finish()
  return evaluation
}

/** Held-out tasks of a run: a seeded sample where there are more than `evaluate.tasks`. */
export function evaluationTasks({ environment, config }: StageContext, split: string): Task[] {
  const tasks = environment.tasks(split)
  const order = new Random('evaluation', config.seed, split).shuffle(tasks)
  return config.evaluate.tasks > 0 ? order.slice(0, config.evaluate.tasks) : order
}

function playSplit(context: StageContext, tasks: Task[], index: number): Promise<Trajectory[]> {
  const { environment, agent, format, trainer, config, signal } = context
  return playWave(
    tasks.map((task) => ({ task, sample: index })),
    {
      environment,
      agent,
      format,
      sampler: trainer.sampler(),
      // The same draws for every arm and split: differences between arms are paired.
      seed: hash32(config.seed, 'evaluate'),
      temperature: config.evaluate.temperature,
      maxSteps: config.evaluate.maxSteps,
      maxTokens: config.collect.maxTokens,
      signal,
    },
  )
}

/**
 * Transitions of the base policy on evaluation tasks, or of others, invalid ones kept; played as in collection, stored once.
 */
async function heldOutTransitions(
  context: StageContext,
  { stage, heldOutBy }: Pick<Evaluation, 'stage' | 'heldOutBy'>,
  split: string,
): Promise<Transition[]> {
  const { environment, agent, format, trainer, config, signal } = context
  const prefix = stage === 'evaluate' ? 'held-out' : `${stage}-held-out`
  const tasks = evaluationTasks(context, split)
  const seed = hash32(config.seed, 'held-out', split)
  const { maxSteps } = config.collect
  const path = context.run.rolloutsFile(`${prefix}-${split}`)
  const wasPlayed = existsSync(path)
  const play = () =>
    storedWave(path, tasks.length, () =>
      playWave(
        tasks.map((task) => ({ task, sample: 0 })),
        {
          environment,
          agent,
          format,
          sampler: trainer.sampler(),
          seed,
          temperature: config.collect.temperature,
          maxSteps,
          maxTokens: config.collect.maxTokens,
          signal,
        },
      ),
    )
  const byOthers = (others: OtherPlayers) => {
    const attempts = Object.keys(others.players).length
    return playInTurn(context, others, { name: `${prefix}-${split}`, tasks, attempts, seed, maxSteps })
  }
  const trajectories = environment.recorded?.(split) ?? (await (heldOutBy ? byOthers(heldOutBy) : play()))
  if (wasPlayed) await checkStillSame(context, trajectories, maxSteps)
  const { transitions } = asked(context, trajectories)
  return new Random('held-out', config.seed, split).shuffle(transitions).slice(0, config.evaluate.transitions)
}

/** Greedy predictions of the frozen transitions, asked for as the model was trained. */
async function predictSplit(
  context: StageContext,
  split: string,
  transitions: Transition[],
  reward: WorldModelReward,
  reasoning: boolean,
): Promise<WorldModelResult> {
  const { agent, format, trainer, config, environment } = context
  const sampler = trainer.sampler()
  await sampler.reset()
  const answers = await predict(transitions, {
    agent,
    format,
    sampler,
    n: 1,
    temperature: 0,
    maxTokens: config.worldModel.maxTokens,
    seed: config.seed,
    reasoning,
  })
  const first = answers.map(([answer]) => answer)
  return worldModelResult('model', split, transitions, first, environment, reward)
}
