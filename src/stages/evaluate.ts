import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { hash32, Random, type Task, type Trajectory, type Transition, transitionsOf } from '../core/index.ts'
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
import { readJson, writeFileAtomic } from '../store/index.ts'
import type { StageContext } from './context.ts'
import { storedWave } from './waves.ts'

/** A checkpoint to evaluate, and its name in tables. */
export interface Arm {
  arm: string
  /** Model folder. */
  path: string
}

const SPLITS = ['seen', 'unseen']

/**
 * Success and world-model accuracy of every arm on held-out splits: the same tasks, seeds and transitions for all. The
 * transitions are collected once by the first arm (the base) and kept, invalid ones included. One file an arm, so that an
 * interrupted evaluation goes on with the next.
 */
export async function evaluate(
  context: StageContext,
  arms: Arm[],
  training: Transition[],
  reward: WorldModelReward,
): Promise<EvaluationResult> {
  const { config, environment, progress } = context
  const splits = SPLITS.filter((split) => environment.splits().includes(split))
  const heldOut = new Map<string, Transition[]>()
  const results: ArmResult[] = []
  progress.start('evaluate', arms.length * splits.length * (config.evaluate.runs + 1))
  let done = 0
  for (const { arm, path: model } of arms) {
    await context.trainer.loadWeights(model)
    if (heldOut.size === 0) for (const split of splits) heldOut.set(split, await heldOutTransitions(context, split))
    const path = join(context.run.stageFolder('evaluate'), `${arm.replaceAll(' ', '-')}.json`)
    if (!existsSync(path)) {
      const result: ArmResult = { arm, checkpoint: relative(context.run.path, model), policy: [], worldModel: [] }
      for (const split of splits) {
        const tasks = evaluationTasks(context, split)
        const runs: Trajectory[][] = []
        for (let run = 0; run < config.evaluate.runs; run++) {
          const name = `evaluate-${arm.replaceAll(' ', '-')}-${split}-${run}`
          runs.push(
            await storedWave(context.run.rolloutsFile(name), tasks.length, () => playSplit(context, tasks, run)),
          )
          progress.update(++done, arm)
        }
        result.policy.push(policyResult(split, runs, environment, context.agent))
        result.worldModel.push(await predictSplit(context, split, heldOut.get(split)!, reward))
        progress.update(++done, arm)
      }
      writeFileAtomic(path, JSON.stringify(result))
    } else done += splits.length * (config.evaluate.runs + 1)
    results.push(readJson(path, armSchema))
  }
  const worldModelBaselines: WorldModelResult[] = []
  for (const split of splits) {
    for (const [name, predictor] of Object.entries(baselinePredictors(training))) {
      const transitions = heldOut.get(split)!
      const predicted = transitions.map((one) => ({ thinking: null, nextState: predictor(one) }))
      worldModelBaselines.push(await worldModelResult(name, split, transitions, predicted, environment, reward))
    }
  }
  const { temperature, maxSteps, runs } = config.evaluate
  const evaluation = {
    arms: results,
    worldModelBaselines,
    settings: { temperature, maxSteps, runs, seed: config.seed },
  }
  writeFileAtomic(context.run.evaluationFile, `${JSON.stringify(evaluation, null, 2)}\n`)
  progress.finish()
  return evaluation
}

function evaluationTasks({ environment, config }: StageContext, split: string): Task[] {
  const tasks = environment.tasks(split)
  const order = new Random('evaluation', config.seed, split).shuffle(tasks)
  return config.evaluate.tasks > 0 ? order.slice(0, config.evaluate.tasks) : order
}

function playSplit(context: StageContext, tasks: Task[], run: number): Promise<Trajectory[]> {
  const { environment, agent, format, trainer, config, signal } = context
  return playWave(
    tasks.map((task) => ({ task, sample: run })),
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

/** Transitions of the base policy on evaluation games, invalid ones kept; played as in collection, stored once. */
async function heldOutTransitions(context: StageContext, split: string): Promise<Transition[]> {
  const { environment, agent, format, trainer, config, signal } = context
  const path = context.run.rolloutsFile(`held-out-${split}`)
  const tasks = evaluationTasks(context, split)
  const trajectories = await storedWave(path, tasks.length, () =>
    playWave(
      tasks.map((task) => ({ task, sample: 0 })),
      {
        environment,
        agent,
        format,
        sampler: trainer.sampler(),
        seed: hash32(config.seed, 'held-out', split),
        temperature: config.collect.temperature,
        maxSteps: config.collect.maxSteps,
        maxTokens: config.collect.maxTokens,
        signal,
      },
    ),
  )
  const all = trajectories.flatMap(transitionsOf)
  return new Random('held-out', config.seed, split).shuffle(all).slice(0, config.evaluate.transitions)
}

/** Greedy predictions of the frozen transitions. */
async function predictSplit(
  context: StageContext,
  split: string,
  transitions: Transition[],
  reward: WorldModelReward,
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
    reasoning: true,
  })
  const first = answers.map(([answer]) => answer)
  return worldModelResult('model', split, transitions, first, environment, reward)
}
