import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Transition } from '../core/index.ts'
import type { EvaluationResult } from '../evaluation/index.ts'
import type { WorldModelReward } from '../rewards/index.ts'
import { readJson, writeFileAtomic } from '../store/index.ts'
import type { Collected } from './collect.ts'
import { collect } from './collect.ts'
import type { StageContext } from './context.ts'
import { type Arm, evaluate } from './evaluate.ts'
import { type FilterCount, filterTransitions } from './filter.ts'
import { policyRl } from './policy-rl.ts'
import { chooseReward, type RewardRecord } from './reward.ts'
import { worldModelRl } from './world-model-rl.ts'

/** What the stages of a run hand on to each other. */
export interface Artifacts {
  collected?: Collected
  reward?: WorldModelReward
  kept?: Transition[]
  /** Checkpoint the next stage starts from; the base model at first. */
  model: string
  arms: Arm[]
  evaluation?: EvaluationResult
}

/** What a stage adds to its record, for the report. */
interface Outcome {
  notes: string[]
  filter?: { rule: string; settings: Record<string, unknown>; kinds: FilterCount[] }
  reward?: RewardRecord
}

export interface Stage {
  name: string
  title: string
  /**
   * Reads what earlier stages handed on and the run folder, writes the run folder. A stage whose outputs are there only
   * reads them: running a method again goes on where it stopped.
   */
  run(context: StageContext, artifacts: Artifacts): Promise<Outcome>
}

function need<T>(value: T | undefined, stage: string, from: string): T {
  if (value === undefined)
    throw new Error(`the stage ${stage} needs ${from} before it: mend the method's list of stages`)
  return value
}

export const collectStage: Stage = {
  name: 'collect',
  title: 'Collect its own play',
  async run(context, artifacts) {
    artifacts.collected = await collect(context)
    artifacts.kept = artifacts.collected.train
    const { episodes, transitions, valid, solved } = artifacts.collected.counts
    const { train, filter } = artifacts.collected
    return {
      notes: [
        `${episodes} episodes, ${solved} solved; ${transitions} transitions, ${valid} of them valid`,
        `${train.length} for training, ${filter.length} for the filter model`,
      ],
    }
  },
}

export const rewardStage: Stage = {
  name: 'reward',
  title: 'Choose the reward',
  async run(context, artifacts) {
    const { train } = need(artifacts.collected, 'reward', 'collect')
    const { reward, record } = await chooseReward(context, train)
    artifacts.reward = reward
    return { notes: [reward.name], reward: record ?? undefined }
  },
}

export const filterStage: Stage = {
  name: 'filter',
  title: 'Drop what is too easy',
  async run(context, artifacts) {
    const { train, filter } = need(artifacts.collected, 'filter', 'collect')
    const reward = need(artifacts.reward, 'filter', 'reward')
    const { kept, counts } = await filterTransitions(context, filter, train, reward)
    artifacts.kept = kept
    const { rule, ...settings } = context.config.filter
    return { notes: [`${kept.length} of ${train.length} transitions kept`], filter: { rule, settings, kinds: counts } }
  },
}

export const worldModelStage: Stage = {
  name: 'world-model-rl',
  title: 'World-model RL',
  async run(context, artifacts) {
    const kept = need(artifacts.kept, 'world-model-rl', 'collect')
    const reward = need(artifacts.reward, 'world-model-rl', 'reward')
    const { step, path } = await worldModelRl(context, kept, reward)
    artifacts.model = path
    artifacts.arms.push({ arm: 'after world-model RL', path })
    return { notes: [`${step} steps`] }
  },
}

export const policyStage: Stage = {
  name: 'policy-rl',
  title: 'Policy RL',
  async run(context, artifacts) {
    const { step, path } = await policyRl(context, artifacts.model)
    artifacts.model = path
    artifacts.arms.push({ arm: 'after policy RL', path })
    return { notes: [`${step} steps`] }
  },
}

export const evaluateStage: Stage = {
  name: 'evaluate',
  title: 'Evaluate on held-out layouts',
  async run(context, artifacts) {
    const { train } = need(artifacts.collected, 'evaluate', 'collect')
    const reward = need(artifacts.reward, 'evaluate', 'reward')
    artifacts.evaluation = await evaluate(context, artifacts.arms, train, reward)
    return { notes: [`${artifacts.arms.length} checkpoints`] }
  },
}

const recordSchema = z.looseObject({
  seconds: z.number(),
  tokensSampled: z.number(),
  tokensTrained: z.number(),
  startedAt: z.string(),
  finished: z.boolean(),
})

/**
 * Run a stage and keep its record, `stages/<name>/stage.json`: time and tokens add up over interruptions, and stay as they
 * are where the stage had finished before.
 */
export async function runStage(stage: Stage, context: StageContext, artifacts: Artifacts): Promise<void> {
  const path = join(context.run.stageFolder(stage.name), 'stage.json')
  const before = existsSync(path) ? readJson(path, recordSchema) : null
  const { sampled, trained } = context.tokens
  const began = Date.now()
  const write = (outcome: Outcome, finished: boolean) => {
    if (before?.finished) return
    const record = {
      name: stage.name,
      title: stage.title,
      startedAt: before?.startedAt ?? new Date(began).toISOString(),
      seconds: (before?.seconds ?? 0) + (Date.now() - began) / 1000,
      tokensSampled: (before?.tokensSampled ?? 0) + context.tokens.sampled - sampled,
      tokensTrained: (before?.tokensTrained ?? 0) + context.tokens.trained - trained,
      finished,
      ...outcome,
    }
    writeFileAtomic(path, `${JSON.stringify(record, null, 2)}\n`)
  }
  try {
    write(await stage.run(context, artifacts), true)
  } catch (error) {
    write({ notes: [] }, false)
    throw error
  }
}
