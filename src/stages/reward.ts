import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { observationText, type Transition, UserError } from '../core/index.ts'
import {
  CachedEmbedder,
  type Embedder,
  LexicalEmbedder,
  loadLexicalEmbedder,
  loadUseLite,
  OnnxEmbedder,
} from '../embedders/index.ts'
import type { Environment } from '../environments/index.ts'
import {
  chooseEmbedder,
  DEFAULT_PRECISION,
  embeddingReward,
  equivalentThreshold,
  exactReward,
  hybridReward,
  jsonReward,
  judgeReward,
  type PairTexts,
  pairDistances,
  rougeReward,
  type StatePair,
  statePairs,
  WORD_FOR_WORD,
  type WorldModelReward,
  type Yardstick,
} from '../rewards/index.ts'
import type { ChatModel } from '../services/index.ts'
import { readJson, writeFileAtomic } from '../store/index.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'
import { free } from './plan.ts'
import { need, type Stage } from './stage.ts'

const recordSchema = z.object({
  embedder: z.string(),
  semantic: z.boolean(),
  threshold: z.number(),
  precision: z.number(),
  recall: z.number(),
  separation: z.number(),
  why: z.string(),
})

/** Which embedder scores predictions, at which threshold, and why; `stages/reward/reward.json`. */
export type RewardRecord = z.infer<typeof recordSchema>

export interface ChosenReward {
  reward: WorldModelReward
  /** Null for rewards without an embedder. */
  record: RewardRecord | null
}

/** What settings cannot hold. */
export interface RewardOptions {
  /** Who compares prediction and truth where `reward.kind` is `judge`. Give it a cache folder: a run then resumes exactly. */
  judge?: ChatModel
  /** In place of those that `reward.embedder` names. */
  embedder?: Embedder
  /**
   * τ_d is the threshold that lets through what this one lets through: the share of pairs around training states below it is the
   * same. Asked once, to choose it: a run that is resumed has it.
   */
  like?: Yardstick
}

/** The reward stage with a judge or an embedder of one's own. */
export function rewardBy(options: RewardOptions): Stage {
  const { judge, embedder, like } = options
  return {
    name: 'reward',
    title: 'Choose the reward',
    options: {
      ...(judge && { judge: judge.name }),
      ...(embedder && { embedder: embedder.name }),
      ...(like && { like: `${like.embedder.name} at ${like.threshold}` }),
    },
    async check(config) {
      refuseUnfit(config, options)
      for (const one of [embedder, like?.embedder]) await one?.embed([SMALL_TEXT])
      await judge?.complete([{ role: 'user', content: SMALL_TEXT }], { maxTokens: 16 })
      const asked = [embedder?.name, like?.embedder.name, judge?.name].filter((name) => name !== undefined)
      return asked.length > 0 ? `${asked.join(', ')} answers` : config.reward.kind
    },
    async run(context, artifacts) {
      const { train } = need(artifacts.collected, 'reward', 'collect')
      const { reward, record } = await chooseReward(context, train, options)
      artifacts.reward = reward
      return { notes: [reward.name], reward: record ?? undefined }
    },
    plan: ({ reward }) => free(reward.kind === 'embedding' ? 'embedder and threshold' : reward.kind),
  }
}

export const rewardStage: Stage = rewardBy({})

/** What a run's embedding reward is given in code. */
type OwnEmbedder = Pick<RewardOptions, 'embedder' | 'like'>

/** What services are asked, to see that they are there. */
const SMALL_TEXT = 'The door is open.'

/** Names that `reward.embedder` may have; all else is a folder. */
const NAMED = ['auto', 'lexical', 'use-lite']

/** What choosing a reward needs of a run. */
type RewardContext = Pick<StageContext, 'run' | 'config' | 'progress' | 'warn'> & {
  environment: Pick<Environment, 'variants'>
}

/**
 * The reward of world-model RL, as `reward.kind` says; `hybrid` is the method's for conversations with tools (section 4).
 * What had to be chosen is stored in the run folder with `keep`, and read from there where it stands already.
 * @throws UserError where a judge is wanted and none given
 */
export async function chooseReward(
  context: RewardContext,
  train: Transition[],
  options: RewardOptions = {},
  keep = true,
): Promise<ChosenReward> {
  refuseUnfit(context.config, options)
  const { judge, ...own } = options
  const { kind, mode } = context.config.reward
  if (kind === 'exact') return { reward: exactReward(), record: null }
  if (kind === 'rouge') return { reward: rougeReward(), record: null }
  if (kind === 'embedding') return calibratedReward(context, train, own, keep)
  if (judge) return { reward: judgeReward(judge, { mode }), record: null }
  const said = train.filter(({ next }) => next.from !== 'tool')
  const tool = jsonReward(rougeReward())
  if (said.length === 0) return { reward: tool, record: null }
  const { reward, record } = await calibratedReward(context, said, own, keep)
  return { reward: hybridReward({ user: reward, environment: reward, tool }), record }
}

/** @throws UserError for settings that what is given in code does not fit */
function refuseUnfit({ reward: { kind, threshold } }: Config, { judge, like }: RewardOptions): void {
  if (like && threshold > 0) {
    throw new UserError(
      `reward.threshold is ${threshold}, and τ_d is to be like another embedder’s: give one of them`,
      2,
    )
  }
  if (judge && kind !== 'judge') {
    throw new UserError(`a judge is given, and reward.kind is ${kind}: set it to judge, or give none`, 2)
  }
  if (!judge && kind === 'judge') {
    throw new UserError(
      'reward.kind is judge, and no judge is given: put rewardBy({ judge: new ChatService(…) }) in place of rewardStage into the list of stages',
    )
  }
}

/** Every reward that a run could have had on these transitions, to be compared; nothing is stored. */
export async function everyReward(
  context: RewardContext,
  train: Transition[],
  { judge, ...own }: RewardOptions = {},
): Promise<WorldModelReward[]> {
  const { mode } = context.config.reward
  const rewards: WorldModelReward[] = [exactReward(), rougeReward()]
  if (new Set(train.map((one) => observationText(one.next))).size > 1) {
    const open = await calibrated(context, train, own, false)
    rewards.push(embeddingReward(open.embedder, { mode: 'binary', threshold: open.record.threshold }))
    rewards.push(embeddingReward(open.embedder, { mode: 'continuous' }))
  }
  if (train.some(({ next }) => next.from === 'tool')) {
    const config = { ...context.config, reward: { ...context.config.reward, kind: 'hybrid' as const } }
    rewards.push((await chooseReward({ ...context, config }, train, own, false)).reward)
  }
  if (judge) rewards.push(judgeReward(judge, { mode }))
  return rewards
}

/**
 * The reward by embeddings: the embedder that better tells states apart, and its threshold, are chosen on pairs around
 * *training* next states only: the same state told differently, and others that look much like it.
 */
async function calibratedReward(
  context: RewardContext,
  train: Transition[],
  own: OwnEmbedder,
  keep: boolean,
): Promise<ChosenReward> {
  const { embedder, record } = await calibrated(context, train, own, keep)
  const { mode } = context.config.reward
  const options = mode === 'binary' ? { mode, threshold: record.threshold } : { mode }
  return { reward: embeddingReward(embedder, options), record }
}

interface Calibrated {
  embedder: Embedder
  record: RewardRecord
}

async function calibrated(
  context: RewardContext,
  train: Transition[],
  own: OwnEmbedder,
  keep: boolean,
): Promise<Calibrated> {
  const { embedder: wanted } = context.config.reward
  const embedder = own.embedder ?? (NAMED.includes(wanted) ? undefined : await encoderIn(wanted))
  const folder = context.run.stageFolder('reward')
  const [path, lexicalPath] = [join(folder, 'reward.json'), join(folder, 'lexical.json')]
  if (existsSync(path)) return opened(readJson(path, recordSchema), loadLexicalEmbedder(lexicalPath), embedder)
  const { record, lexical } = await calibrate(context, train, { ...own, embedder })
  if (keep) {
    lexical.save(lexicalPath)
    writeFileAtomic(path, `${JSON.stringify(record, null, 2)}\n`)
  }
  return opened(record, lexical, embedder)
}

/** Encoders that are open, by folder: what is asked several times, or by several runs of a study, has one thread and one copy. */
const encoders = new Map<string, Promise<OnnxEmbedder>>()

function encoderIn(folder: string): Promise<OnnxEmbedder> {
  const known = encoders.get(folder)
  if (known) return known
  const opening = OnnxEmbedder.open(folder)
  encoders.set(folder, opening)
  opening.catch(() => encoders.delete(folder))
  return opening
}

async function opened(record: RewardRecord, lexical: LexicalEmbedder, own: Embedder | undefined): Promise<Calibrated> {
  if (own?.name === record.embedder) return { embedder: new CachedEmbedder(own), record }
  if (record.embedder === lexical.name) return { embedder: new CachedEmbedder(lexical), record }
  if (record.embedder === 'use-lite') return { embedder: new CachedEmbedder(await loadUseLite()), record }
  throw new UserError(
    `this run’s reward uses the embedder ${record.embedder}, and is given ${own?.name ?? 'none'}: give it that one again`,
  )
}

async function calibrate(
  context: RewardContext,
  train: Transition[],
  { embedder: own, like }: OwnEmbedder,
): Promise<{ record: RewardRecord; lexical: LexicalEmbedder }> {
  if (train.length === 0) throw new UserError('no training transition was collected: nothing to calibrate a reward on')
  const lexical = LexicalEmbedder.fit(train.map((one) => observationText(one.next)))
  const { embedder: wanted, threshold } = context.config.reward
  const { progress } = context
  const candidates: Embedder[] = own ? [new CachedEmbedder(own)] : []
  let missing = ''
  if (!own && wanted !== 'use-lite') candidates.push(lexical)
  if (!own && wanted !== 'lexical') {
    try {
      candidates.push(new CachedEmbedder(await loadUseLite()))
    } catch (error) {
      if (wanted === 'use-lite' || !(error instanceof UserError)) throw error
      missing = ' USE-lite is not installed here, so it was not compared.'
    }
  }
  // Chosen on one half of the pairs, and measured on the other.
  const pairs = statePairs(context.environment, train, context.config.seed)
  if (!pairs.some((pair) => !pair.same)) {
    throw new UserError('all collected next states are the same text: there is nothing for a world model to learn here')
  }
  const chosen = await chooseEmbedder(candidates, pairTexts(half(pairs, 0)))
  progress.start('compare embedders', candidates.length)
  const held = half(pairs, 1)
  const mapped = like ? await equivalentThreshold(like, chosen.embedder, pairs) : null
  const measured = await Promise.all(
    chosen.candidates.map(async ({ embedder, calibration }) => {
      const set = mapped?.threshold ?? threshold
      const limit = set > 0 && embedder === chosen.embedder ? set : calibration.threshold
      return { name: embedder.name, limit, ...(await measure(embedder, limit, held)) }
    }),
  )
  progress.update(candidates.length)
  const [best] = measured
  const taken =
    like && mapped
      ? ` The threshold is that of ${like.embedder.name} at ${like.threshold}: ${percent(mapped.share)} of the pairs lie below either.`
      : ''
  const figures = measured
    .map(
      ({ name, precision, recall }) =>
        `${name} finds ${percent(recall)} of states told differently at ${percent(precision)} precision`,
    )
    .join(', ')
  const reliable = best.precision >= DEFAULT_PRECISION - 0.05
  if (!reliable) {
    context.warn(
      `the reward is blunt: at distance ${best.limit.toFixed(3)} only ${percent(best.precision)} of the states that ${best.name} calls equal are; training on it rewards wrong predictions`,
    )
  }
  progress.finish(`${best.name}, threshold ${best.limit.toFixed(3)}`)
  const record: RewardRecord = {
    embedder: best.name,
    semantic: chosen.embedder.semantic,
    threshold: best.limit,
    precision: best.precision,
    recall: best.recall,
    separation: chosen.calibration.separation,
    why: `${candidates.length > 1 ? 'Chosen' : 'Set'} on one half of ${pairs.length} pairs around training states, measured on the other: ${figures}.${missing}${taken}`,
  }
  return { record, lexical }
}

/** Every second pair of each sort, or all where that leaves too little. */
function half(pairs: readonly StatePair[], part: 0 | 1): StatePair[] {
  const some = pairs.filter((_, index) => index % 2 === part)
  return new Set(some.map((pair) => pair.same)).size === 2 ? some : [...pairs]
}

function pairTexts(pairs: readonly StatePair[]): PairTexts {
  const texts = (same: boolean) =>
    pairs.filter((pair) => pair.same === same).map(({ actual, other }): [string, string] => [actual, other])
  return { same: texts(true), different: texts(false) }
}

/**
 * How a threshold does on pairs that it was not chosen on: precision as if both sorts of pair were equally common, and of
 * the states told differently the share found.
 */
async function measure(
  embedder: Embedder,
  threshold: number,
  pairs: readonly StatePair[],
): Promise<{ precision: number; recall: number }> {
  const below = async (some: readonly StatePair[]) => {
    const distances = await pairDistances(
      embedder,
      some.map(({ actual, other }) => [actual, other]),
    )
    return distances.filter((distance) => distance < threshold).length / Math.max(1, distances.length)
  }
  const right = await below(pairs.filter((pair) => pair.same))
  const wrong = await below(pairs.filter((pair) => !pair.same))
  const recall = await below(pairs.filter((pair) => pair.same && pair.sort !== WORD_FOR_WORD))
  return { recall, precision: right + wrong > 0 ? right / (right + wrong) : 0 }
}

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`
