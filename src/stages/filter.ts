import { existsSync } from 'node:fs'
import { z } from 'zod'
import { hash32, Random, type Transition, UserError, uniform } from '../core/index.ts'
import { predictAndScore, predictionPrompt } from '../evaluation/index.ts'
import { sftUpdate } from '../learning/index.ts'
import type { WorldModelReward } from '../rewards/index.ts'
import { readLines, writeFileAtomic } from '../store/index.ts'
import type { StageContext } from './context.ts'

/** Prompts sampled at once: bounds memory, and how often progress moves. */
const CHUNK = 256

const lineSchema = z.object({
  id: z.string(),
  kind: z.string(),
  /** Mean reward of the K predictions of the filter model. */
  meanReward: z.number(),
  varied: z.boolean(),
  verdict: z.enum(['easy', 'between', 'hopeless']),
  kept: z.boolean(),
})

/** One line of `filtered.jsonl`. */
export type FilterLine = z.infer<typeof lineSchema>

/** Counts of the filter by kind of transition. */
export interface FilterCount {
  kind: string
  transitions: number
  easy: number
  hopeless: number
  kept: number
  groupsWithVariance: number
}

/**
 * Stage 2: drop what is too easy (method, section 3). A copy of the base is fine-tuned on its own share of transitions,
 * predicts each training transition K times, and what it gets right too often is mostly left out.
 */
export async function filterTransitions(
  context: StageContext,
  filter: Transition[],
  train: Transition[],
  reward: WorldModelReward,
): Promise<{ kept: Transition[]; counts: FilterCount[] }> {
  if (context.config.filter.rule === 'none') return { kept: train, counts: [] }
  const path = context.run.filteredFile
  if (!existsSync(path)) {
    await trainFilterModel(context, filter)
    const lines = await score(context, train, reward)
    writeFileAtomic(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }
  const lines = readLines(path, lineSchema)
  if (lines.length !== train.length) {
    throw new UserError(
      `${path} speaks of ${lines.length} transitions, not of ${train.length}: delete it to filter again`,
    )
  }
  const kept = new Set(lines.filter((line) => line.kept).map((line) => line.id))
  return { kept: train.filter((one) => kept.has(one.id)), counts: countByKind(lines) }
}

/** π': the base, fine-tuned to give the next state without reasoning. */
async function trainFilterModel(context: StageContext, transitions: Transition[]): Promise<void> {
  const { agent, format, trainer, config, progress, signal } = context
  const { batch, epochs, learningRate } = config.filter
  if (transitions.length === 0) {
    throw new UserError('no transition was set apart for the filter model: raise collect.filterShare or collect.tasks')
  }
  await trainer.loadWeights(context.baseModel)
  const perEpoch = Math.ceil(transitions.length / batch)
  progress.start('filter model', perEpoch * epochs)
  context.rewind('filter', 0)
  const began = Date.now()
  for (let step = 0; step < perEpoch * epochs; step++) {
    signal.throwIfAborted()
    const order = new Random('filter', config.seed, Math.floor(step / perEpoch)).shuffle(transitions)
    const at = (step % perEpoch) * batch
    const examples = order.slice(at, at + batch).map((one) => {
      const prompt = predictionPrompt(agent, format, one, false)
      const label = format.replyTokens(agent.predictionLabel(one))
      return { tokens: [...prompt, ...label], mask: [...prompt.map(() => 0), ...label.map(() => 1)] }
    })
    const { loss } = await sftUpdate(trainer, examples, { ...config.optimiser, learningRate })
    context.log({ stage: 'filter', step, time: Date.now() - began, loss })
    progress.update(step + 1, `loss ${loss.toFixed(3)}`)
  }
  progress.finish()
}

async function score(context: StageContext, train: Transition[], reward: WorldModelReward): Promise<FilterLine[]> {
  const { agent, format, trainer, config, environment, progress, signal } = context
  const { draws, temperature, rule, easyAbove, keepEasy, keepHopeless } = config.filter
  const lines: FilterLine[] = []
  progress.start('draw predictions', train.length)
  for (let at = 0; at < train.length; at += CHUNK) {
    signal.throwIfAborted()
    const chunk = train.slice(at, at + CHUNK)
    const sampler = trainer.sampler()
    await sampler.reset()
    const groups = await predictAndScore(
      chunk,
      {
        agent,
        format,
        sampler,
        n: draws,
        temperature,
        maxTokens: config.worldModel.maxTokens,
        seed: hash32(config.seed, 'filter-draws'),
        reasoning: false,
      },
      reward,
    )
    for (const [i, one] of chunk.entries()) {
      const rewards = groups[i].map((answer) => answer.reward)
      const meanReward = rewards.reduce((sum, value) => sum + value, 0) / draws
      const verdict = judge(meanReward, rule, easyAbove)
      const keep = verdict === 'easy' ? keepEasy : verdict === 'hopeless' ? keepHopeless : 1
      lines.push({
        id: one.id,
        kind: environment.transitionKind?.(one) ?? 'all',
        meanReward,
        varied: rewards.some((value) => value !== rewards[0]),
        verdict,
        kept: uniform(config.seed, 'keep', one.id) < keep,
      })
    }
    progress.update(Math.min(at + CHUNK, train.length))
  }
  progress.finish()
  return lines
}

/**
 * `paper`: any reward above the bound is easy, all else stays. `band`: always right is easy, never right is hopeless,
 * and what lies between is what a small model can learn from.
 */
export function judge(meanReward: number, rule: 'paper' | 'band' | 'none', easyAbove: number): FilterLine['verdict'] {
  if (rule === 'paper') return meanReward > easyAbove ? 'easy' : 'between'
  if (meanReward >= 1) return 'easy'
  return meanReward <= 0 ? 'hopeless' : 'between'
}

function countByKind(lines: FilterLine[]): FilterCount[] {
  const counts = new Map<string, FilterCount>()
  for (const { kind, verdict, kept, varied } of lines) {
    const count = counts.get(kind) ?? { kind, transitions: 0, easy: 0, hopeless: 0, kept: 0, groupsWithVariance: 0 }
    count.transitions++
    if (verdict === 'easy') count.easy++
    if (verdict === 'hopeless') count.hopeless++
    if (kept) count.kept++
    if (varied) count.groupsWithVariance++
    counts.set(kind, count)
  }
  return [...counts.values()].sort((a, b) => b.transitions - a.transitions)
}
