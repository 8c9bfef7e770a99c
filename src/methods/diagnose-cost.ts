import { existsSync } from 'node:fs'
import { z } from 'zod'
import type { Agent } from '../agents/index.ts'
import { Random } from '../core/index.ts'
import { predictionPrompt, type StageCost, stageCost } from '../evaluation/index.ts'
import {
  type Config,
  type Expected,
  type FilterLine,
  type Rehearsal,
  type StoredCollection,
  stageRecord,
  type UnitCost,
} from '../stages/index.ts'
import { type RunFolder, readLines } from '../store/index.ts'
import type { ChatFormat } from '../tokens/index.ts'
import { METHODS, rwml } from './method.ts'

export interface CostEvidence {
  run: RunFolder
  config: Config
  agent: Agent
  format: ChatFormat
  collected: StoredCollection
  filtered: FilterLine[] | null
  /** Of predictions drawn just now: mean tokens of an answer, and tokens a second. */
  drawn: { answerTokens: number; rate: number } | null
}

/** Stages whose cost is asked for are those after the reward was chosen and before evaluation. */
const OTHERS = new Set(['collect', 'reward', 'evaluate'])
/** Transitions whose prompts are counted for a mean. */
const COUNTED = 200

/**
 * What the training stages of the run's method take with its settings: as they plan it themselves, from collected play and
 * measured speeds; as measured where they ran.
 */
export function stageCosts(evidence: CostEvidence): StageCost[] {
  const { run, config, collected, filtered } = evidence
  const { rehearsal, basis } = measuredRehearsal(evidence)
  const tasks = new Set(collected.trajectories.map(({ task }) => task.id)).size
  const { train, filter } = collected
  const expected: Expected = { tasks, heldOut: {}, train: train.length, filter: filter.length, arms: 0 }
  const method = METHODS.find(({ name }) => name === run.readInfo().method) ?? rwml
  return method.stages.flatMap((stage) => {
    const plan = OTHERS.has(stage.name) ? undefined : stage.plan?.(config, rehearsal, expected)
    if (stage.name === 'filter' && filtered) expected.train = filtered.filter((line) => line.kept).length
    if (!plan || plan.sampled + plan.trained === 0) return []
    const keepsAll = plan.shows === 'prediction' && filtered === null && config.filter.rule !== 'none'
    const reasons = [basis[plan.shows ?? 'episode'], ...(keepsAll ? ['as if the filter kept all'] : [])]
    const { steps, sampled, trained } = plan
    const seconds = Number.isFinite(plan.seconds) ? plan.seconds : null
    const planned = {
      stage: stage.name,
      title: stage.title,
      steps,
      sampled,
      trained,
      seconds,
      basis: reasons.join('; '),
    }
    const record = stageRecord(run, stage.name)
    return [stageCost(planned, record && { ...record, steps: linesOf(run, stage.name).length })]
  })
}

/** What a rehearsal would find out by doing, from what the run has done; a speed that was not measured is NaN. */
function measuredRehearsal({ run, config, agent, format, collected, drawn }: CostEvidence): {
  rehearsal: Rehearsal
  basis: Record<keyof Rehearsal['shown'], string>
} {
  const { train, trajectories } = collected
  const sample = new Random('count', config.seed).shuffle(train).slice(0, COUNTED)
  const prompt = average(sample, (one) => predictionPrompt(agent, format, one, WHOLE).tokens.length)
  const label = average(sample, (one) => format.replyTokens(agent.predictionLabel(one)).length)
  const answer = drawn?.answerTokens ?? label
  const speeds = speedsOf(run, drawn?.rate ?? null)
  const unit = (sampled: number, trained: number, speed: number): UnitCost => ({
    sampled,
    trained,
    sampleSeconds: sampled / speed,
    trainSeconds: trained / speeds.train,
    // A pass forward alone: no stage before training has timed one, and it is a small part.
    referenceSeconds: 0,
  })
  const turns = trajectories.flatMap((one) => one.turns)
  const missing = Number.isNaN(speeds.train) ? 'speed of training; ' : ''
  return {
    rehearsal: {
      episodes: trajectories.length,
      recorded: true,
      turns: turns.length / trajectories.length,
      valid: turns.filter((turn) => turn.valid).length / Math.max(1, turns.length),
      // Rewards of logs count for nothing: there is no environment to play in.
      rewarded: trajectories.some(({ reward, sequences }) => reward !== undefined && sequences.length > 0),
      episode: unit(
        average(trajectories, (one) => one.turns.reduce((sum, turn) => sum + turn.tokens.length, 0)),
        average(trajectories, (one) => one.sequences.reduce((sum, { tokens }) => sum + tokens.length, 0)),
        speeds.play,
      ),
      // A group shares its prompt, which is trained on once.
      prediction: unit(answer, prompt / config.worldModel.groupSize + answer, speeds.predict),
      label: unit(label, prompt + label, speeds.predict),
      shown: {},
    },
    basis: {
      episode: `${missing}episodes as long as collected ones`,
      prediction: `${missing}answers as long as ${drawn ? 'those drawn here' : 'true next states, without their thoughts'}`,
      label: `${missing}answers as long as true next states`,
    },
  }
}

/** Tokens a second of playing, predicting and training, by the records of collection and filter. */
function speedsOf(run: RunFolder, drawn: number | null): { play: number; predict: number; train: number } {
  const [collect, filter] = [stageRecord(run, 'collect'), stageRecord(run, 'filter')]
  const tuned = (linesOf(run, 'filter').at(-1)?.time ?? 0) / 1000
  const speed = (tokens = 0, seconds = 0) => (tokens > 0 && seconds > 0 ? tokens / seconds : Number.NaN)
  const play = speed(collect?.tokensSampled, collect?.seconds)
  const predict = drawn ?? speed(filter?.tokensSampled, (filter?.seconds ?? 0) - tuned)
  return { play, predict: Number.isNaN(predict) ? play : predict, train: speed(filter?.tokensTrained, tuned) }
}

/** Prompts as they are before any is shortened to the context. */
const WHOLE = { reasoning: true, room: Number.POSITIVE_INFINITY }

const metricSchema = z.looseObject({ stage: z.string(), step: z.number(), time: z.number() })

function linesOf(run: RunFolder, stage: string): z.infer<typeof metricSchema>[] {
  if (!existsSync(run.metricsFile)) return []
  return readLines(run.metricsFile, metricSchema).filter((line) => line.stage === stage)
}

function average<T>(items: readonly T[], size: (item: T) => number): number {
  return items.reduce((sum, item) => sum + size(item), 0) / Math.max(1, items.length)
}
