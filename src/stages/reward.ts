import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { actionText, observationText, Random, type Transition, UserError } from '../core/index.ts'
import { CachedEmbedder, type Embedder, LexicalEmbedder, loadLexicalEmbedder, loadUseLite } from '../embedders/index.ts'
import {
  chooseEmbedder,
  DEFAULT_PRECISION,
  embeddingReward,
  exactReward,
  hybridReward,
  type PairTexts,
  pairDistances,
  rougeReward,
  type WorldModelReward,
} from '../rewards/index.ts'
import { readJson, writeFileAtomic } from '../store/index.ts'
import type { StageContext } from './context.ts'
import { need, type Stage } from './stage.ts'

/** Pairs of each sort that a threshold is calibrated on. */
const PAIRS = 200

const recordSchema = z.object({
  embedder: z.enum(['lexical', 'use-lite']),
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

export const rewardStage: Stage = {
  name: 'reward',
  title: 'Choose the reward',
  options: {},
  async run(context, artifacts) {
    const { train } = need(artifacts.collected, 'reward', 'collect')
    const { reward, record } = await chooseReward(context, train)
    artifacts.reward = reward
    return { notes: [reward.name], reward: record ?? undefined }
  },
}

/** The reward of world-model RL, as `reward.kind` says; `hybrid` is the method's for conversations with tools (section 4). */
export async function chooseReward(context: StageContext, train: Transition[]): Promise<ChosenReward> {
  const { kind } = context.config.reward
  if (kind === 'exact') return { reward: exactReward(), record: null }
  if (kind === 'rouge') return { reward: rougeReward(), record: null }
  if (kind === 'embedding') return calibratedReward(context, train)
  const said = train.filter(({ next }) => next.from !== 'tool')
  if (said.length === 0) return { reward: rougeReward(), record: null }
  const { reward, record } = await calibratedReward(context, said)
  return { reward: hybridReward({ user: reward, environment: reward, tool: rougeReward() }), record }
}

/**
 * The reward by embeddings: the embedder that better tells states apart, and its threshold, are chosen
 * on pairs of *training* next states only: the same listing in another order is the same state; one with a thing changed,
 * or what another step led to, is a different one.
 */
async function calibratedReward(context: StageContext, train: Transition[]): Promise<ChosenReward> {
  const { mode } = context.config.reward
  const folder = context.run.stageFolder('reward')
  const path = join(folder, 'reward.json')
  const lexicalPath = join(folder, 'lexical.json')
  if (!existsSync(path)) {
    if (train.length === 0)
      throw new UserError('no training transition was collected: nothing to calibrate a reward on')
    const lexical = LexicalEmbedder.fit(train.map((one) => observationText(one.next)))
    lexical.save(lexicalPath)
    writeFileAtomic(path, `${JSON.stringify(await calibrate(context, train, lexical), null, 2)}\n`)
  }
  const record = readJson(path, recordSchema)
  const inner = record.embedder === 'lexical' ? loadLexicalEmbedder(lexicalPath) : await loadUseLite()
  const embedder = new CachedEmbedder(inner)
  const options = mode === 'binary' ? { mode, threshold: record.threshold } : { mode }
  return { reward: embeddingReward(embedder, options), record }
}

async function calibrate(context: StageContext, train: Transition[], lexical: Embedder): Promise<RewardRecord> {
  const { embedder: wanted, threshold } = context.config.reward
  const { progress } = context
  const candidates: Embedder[] = []
  let missing = ''
  if (wanted !== 'use-lite') candidates.push(lexical)
  if (wanted !== 'lexical') {
    try {
      candidates.push(await loadUseLite())
    } catch (error) {
      if (wanted === 'use-lite' || !(error instanceof UserError)) throw error
      missing = ' USE-lite is not installed here, so it was not compared.'
    }
  }
  // Chosen on one half of the pairs, and measured on the other.
  const pairs = statePairs(train, context.config.seed)
  const chosen = await chooseEmbedder(candidates, half(pairs, 0))
  progress.start('compare embedders', candidates.length)
  const held = half(pairs, 1)
  const measured = await Promise.all(
    chosen.candidates.map(async ({ embedder, calibration }) => {
      const limit = threshold > 0 && embedder === chosen.embedder ? threshold : calibration.threshold
      return { name: embedder.name, limit, ...(await measure(embedder, limit, held)) }
    }),
  )
  progress.update(candidates.length)
  const [best] = measured
  const figures = measured
    .map(
      ({ name, precision, recall }) =>
        `${name} finds ${percent(recall)} of reordered states at ${percent(precision)} precision`,
    )
    .join(', ')
  const reliable = best.precision >= DEFAULT_PRECISION - 0.05
  if (!reliable) {
    context.warn(
      `the reward is blunt: at distance ${best.limit.toFixed(3)} only ${percent(best.precision)} of the states that ${best.name} calls equal are; training on it rewards wrong predictions`,
    )
  }
  progress.finish(`${best.name}, threshold ${best.limit.toFixed(3)}`)
  return {
    embedder: best.name === 'lexical' ? 'lexical' : 'use-lite',
    semantic: chosen.embedder.semantic,
    threshold: best.limit,
    precision: best.precision,
    recall: best.recall,
    separation: chosen.calibration.separation,
    why: `${candidates.length > 1 ? 'Chosen' : 'Set'} on one half of ${pairs.same.length + pairs.different.length} pairs of training states, measured on the other: ${figures}.${missing}`,
  }
}

/** Every second pair. */
function half({ same, different }: PairTexts, part: 0 | 1): PairTexts {
  const pick = <T>(pairs: readonly T[]) => pairs.filter((_, index) => index % 2 === part || pairs.length === 1)
  return { same: pick(same), different: pick(different) }
}

/** How a threshold does on pairs that it was not chosen on; precision as if both sorts of pair were equally common. */
async function measure(
  embedder: Embedder,
  threshold: number,
  pairs: PairTexts,
): Promise<{ precision: number; recall: number }> {
  const below = async (list: PairTexts['same']) => {
    const distances = await pairDistances(embedder, list)
    return distances.filter((distance) => distance < threshold).length / Math.max(1, distances.length)
  }
  const [recall, wrong] = [await below(pairs.same), await below(pairs.different)]
  return { recall, precision: recall + wrong > 0 ? recall / (recall + wrong) : 0 }
}

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`

/** Items of `a x, a y, and a z` in another order: the same state, told differently. */
function reordered(text: string, random: Random): string {
  return text.replace(/\ba [a-z]+ \d+(?:,(?: and)? a [a-z]+ \d+)+/g, (listing) => {
    const items = random.shuffle(listing.split(/,(?: and)? /))
    if (items.length === 2) return `${items[0]}, and ${items[1]}`
    return `${items.slice(0, -1).join(', ')}, and ${items.at(-1)}`
  })
}

/** The state with one thing wrong in it, as a prediction that is nearly right would have; null where nothing can be changed. */
function nearMiss(text: string, random: Random): string | null {
  const names = [...text.matchAll(/\b([a-z]+) (\d+)\b/g)]
  const items = [...text.matchAll(/\ba [a-z]+ \d+,(?: and)? (?=a )/g)]
  if (items.length > 0 && random.chance(0.5)) {
    const item = random.pick(items)
    return text.slice(0, item.index) + text.slice(item.index + item[0].length)
  }
  if (names.length === 0) return null
  // The same name everywhere, so that the text stays one that the environment could have written.
  const [whole, type, number] = random.pick(names)
  return text.replaceAll(new RegExp(`\\b${whole}\\b`, 'g'), `${type} ${Number(number) + random.integer(1, 3)}`)
}

/**
 * Different pairs: half are near misses of the true state, made by rule; a quarter are what another step with the very same
 * action led to, a quarter what another step with the same verb led to (where there are such).
 */
export function statePairs(train: Transition[], seed: number): PairTexts {
  const random = new Random('pairs', seed)
  const group = (key: (one: Transition) => string) => {
    const groups = new Map<string, Transition[]>()
    for (const one of train) groups.set(key(one), [...(groups.get(key(one)) ?? []), one])
    return groups
  }
  const byAction = group((one) => actionText(one.action))
  const byVerb = group((one) => actionText(one.action).split(' ')[0])
  const otherOf = (one: Transition, sameAction: boolean) => {
    const action = actionText(one.action)
    const text = observationText(one.next)
    const others = (sameAction ? byAction.get(action) : undefined) ?? []
    const differs = others.some((other) => observationText(other.next) !== text)
    return observationText(random.pick(differs ? others : byVerb.get(action.split(' ')[0])!).next)
  }
  const same: [string, string][] = []
  const different: [string, string][] = []
  // Equal states are only worth asking about where the texts differ: an identical text is no test of an embedder.
  const listings = train.filter((one) => reordered(observationText(one.next), random) !== observationText(one.next))
  for (let i = 0; i < PAIRS; i++) {
    if (listings.length > 0) {
      const text = observationText(random.pick(listings).next)
      same.push([text, reordered(text, random)])
    }
    const one = random.pick(train)
    const text = observationText(one.next)
    const other = i % 2 === 0 ? nearMiss(text, random) : otherOf(one, i % 4 === 1)
    if (other !== null && other !== text) different.push([text, other])
  }
  if (same.length === 0) same.push([observationText(train[0].next), observationText(train[0].next)])
  if (different.length === 0) {
    throw new UserError('all collected next states are the same text: there is nothing for a world model to learn here')
  }
  return { same, different }
}
