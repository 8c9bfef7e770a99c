import { existsSync } from 'node:fs'
import { z } from 'zod'
import { hash32, type Transition, UserError, uniform } from '../core/index.ts'
import { predictAndScore } from '../evaluation/index.ts'
import type { WorldModelReward } from '../rewards/index.ts'
import { type RunFolder, readLines, writeFileAtomic } from '../store/index.ts'
import type { StageContext } from './context.ts'
import { free, stepsOf, times } from './plan.ts'
import { need, type Stage } from './stage.ts'
import { storedChunks } from './waves.ts'
import { fineTune } from './world-model-sft.ts'

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

export const filterStage: Stage = {
  name: 'filter',
  title: 'Drop what is too easy',
  options: {},
  async run(context, artifacts) {
    const { train, filter } = need(artifacts.collected, 'filter', 'collect')
    const reward = need(artifacts.reward, 'filter', 'reward')
    const { kept, counts } = await filterTransitions(context, filter, train, reward)
    artifacts.kept = kept
    const { rule, ...settings } = context.config.filter
    return { notes: [`${kept.length} of ${train.length} transitions kept`], filter: { rule, settings, kinds: counts } }
  },
  plan({ filter }, { label }, expected) {
    if (filter.rule === 'none') return free('keeps everything')
    const steps = stepsOf(expected.filter, filter)
    const training = times({ ...label, sampled: 0, sampleSeconds: 0 }, expected.filter * filter.epochs, {
      training: true,
    })
    // Predictions without reasoning are as long as labels.
    const draws = times(label, expected.train * filter.draws)
    return {
      work: `${filter.draws} predictions each of ${expected.train} transitions`,
      episodes: 0,
      steps,
      sampled: draws.sampled,
      trained: training.trained,
      seconds: training.seconds + draws.seconds,
      shows: 'label',
    }
  },
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
    if (filter.length === 0) {
      throw new UserError(
        'no transition was set apart for the filter model: raise collect.filterShare or collect.tasks, or set filter.rule to none',
      )
    }
    // π': the base, fine-tuned to give the next state without reasoning.
    const model = await fineTune(context, filter, {
      stage: 'filter',
      title: 'filter model',
      start: context.baseModel,
      settings: context.config.filter,
    })
    await context.trainer.loadWeights(model.path)
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

/** The filter's verdicts of a run; null before it has run. */
export function readFiltered(run: RunFolder): FilterLine[] | null {
  return existsSync(run.filteredFile) ? readLines(run.filteredFile, lineSchema) : null
}

async function score(context: StageContext, train: Transition[], reward: WorldModelReward): Promise<FilterLine[]> {
  const { progress } = context
  const lines: FilterLine[] = []
  progress.start('draw predictions', train.length)
  const chunks = storedChunks(context, train, {
    stage: 'filter',
    name: 'draws',
    size: CHUNK,
    schema: lineSchema,
    make: (chunk) => scoreChunk(context, chunk, reward),
  })
  for await (const scored of chunks) {
    lines.push(...scored.lines)
    progress.update(lines.length)
  }
  progress.finish()
  return lines
}

async function scoreChunk(context: StageContext, chunk: Transition[], reward: WorldModelReward): Promise<FilterLine[]> {
  const { agent, format, trainer, config, environment } = context
  const { draws, temperature, rule, easyAbove, easyAboveTools, keepEasy, keepHopeless } = config.filter
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
  return chunk.map((one, i): FilterLine => {
    const rewards = groups[i].map((answer) => answer.reward)
    const meanReward = rewards.reduce((sum, value) => sum + value, 0) / draws
    const verdict = judge(meanReward, rule, one.next.from === 'tool' ? easyAboveTools : easyAbove)
    const keep = verdict === 'easy' ? keepEasy : verdict === 'hopeless' ? keepHopeless : 1
    return {
      id: one.id,
      kind: environment.transitionKind?.(one) ?? 'all',
      meanReward,
      varied: rewards.some((value) => value !== rewards[0]),
      verdict,
      kept: uniform(config.seed, 'keep', one.id) < keep,
    }
  })
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
