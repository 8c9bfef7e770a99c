import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { actionText, observationText, Random, type Transition, UserError } from '../core/index.ts'
import { CachedEmbedder, type Embedder, LexicalEmbedder, loadLexicalEmbedder, loadUseLite } from '../embedders/index.ts'
import {
  chooseEmbedder,
  embeddingReward,
  exactReward,
  type PairTexts,
  rougeReward,
  type WorldModelReward,
} from '../rewards/index.ts'
import { writeFileAtomic } from '../store/index.ts'
import type { StageContext } from './context.ts'

/** Pairs of each sort that a threshold is calibrated on. */
const PAIRS = 160

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

/**
 * The reward of world-model RL. For embeddings: the embedder that better tells states apart, and its threshold, are chosen
 * on pairs of *training* next states only: the same listing in another order is the same state; one with a thing changed,
 * or what another step led to, is a different one.
 */
export async function chooseReward(context: StageContext, train: Transition[]): Promise<ChosenReward> {
  const { kind, mode } = context.config.reward
  if (kind === 'exact') return { reward: exactReward(), record: null }
  if (kind === 'rouge') return { reward: rougeReward(), record: null }
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
  const record = recordSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
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
  const pairs = statePairs(train, context.config.seed)
  progress.start('compare embedders', candidates.length)
  const chosen = await chooseEmbedder(candidates, pairs)
  progress.update(candidates.length)
  const figures = chosen.candidates
    .map(
      ({ embedder, calibration }) =>
        `${embedder.name} finds ${percent(calibration.recall)} of equal states at ${percent(calibration.precision)} precision`,
    )
    .join(', ')
  const why =
    (candidates.length > 1
      ? `Chosen on ${pairs.same.length + pairs.different.length} pairs of training states: ${figures}.`
      : `On ${pairs.same.length + pairs.different.length} pairs of training states: ${figures}.`) + missing
  progress.finish(`${chosen.embedder.name}, threshold ${chosen.calibration.threshold.toFixed(3)}`)
  return {
    embedder: chosen.embedder.name === 'lexical' ? 'lexical' : 'use-lite',
    semantic: chosen.embedder.semantic,
    threshold: threshold > 0 ? threshold : chosen.calibration.threshold,
    precision: chosen.calibration.precision,
    recall: chosen.calibration.recall,
    separation: chosen.calibration.separation,
    why,
  }
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
  return text.replaceAll(whole, `${type} ${Number(number) + random.integer(1, 3)}`)
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
  for (let i = 0; i < PAIRS; i++) {
    const one = random.pick(train)
    const text = observationText(one.next)
    same.push([text, reordered(text, random)])
    const other = i % 2 === 0 ? nearMiss(text, random) : otherOf(one, i % 4 === 1)
    if (other !== null && other !== text) different.push([text, other])
  }
  if (different.length === 0) {
    throw new UserError('all collected next states are the same text: there is nothing for a world model to learn here')
  }
  return { same, different }
}
