import type { WorldModelResult } from '../result.ts'
import type { RewardTest } from './reward-test.ts'
import type { GroupVariance } from './variance.ts'
import type { Visibility } from './visibility.ts'

/** A table that is right this often leaves less than one transition in ten to learn from. */
export const PREDICTABLE = 0.9
/** With so little of the next states' content in the history, most of a target is luck. A public attempt on web pages that
 * had 64 % of it out of sight learned nothing. */
export const LEAST_TOLD = 0.4
/** Unless a table is right this often: then what is coming is known from the action, though the history does not spell it out. */
export const TOLD_BY_TABLE = 0.5
/** A reward of which one part in ten goes to wrong states teaches them. The same attempt had no threshold this precise. */
export const LEAST_PRECISION = 0.9
/** For graded rewards: how often the same state has to earn more than a different one. */
export const LEAST_SEPARATION = 0.9
/** Groups without variance have no gradient. That attempt had 0 to 12 % with; a small model at 18 % still learned, slowly. */
export const LEAST_VARIED = 0.15
/** Where fewer predictions than this can be read, their rewards tell of the format and not of the environment. */
export const LEAST_PARSED = 0.5

export type Ground = 'good ground for RWML' | 'too predictable' | 'too unpredictable' | 'reward too blunt'

export interface Verdict {
  ground: Ground
  /** The rule that decided, with its figure; for good ground, all that were passed. */
  reasons: string[]
  /** Further rules that were broken. */
  also: { ground: Ground; reason: string }[]
  /** What else to know before one decides. */
  notes: string[]
}

export interface Evidence {
  visibility: Visibility
  baselines: readonly WorldModelResult[]
  /** Null where all next states are one text: there is nothing to tell apart. */
  reward: RewardTest | null
  variance: GroupVariance | null
}

interface Rule {
  ground: Ground
  broken: boolean
  /** With the figure and the bound; reads well both as the reason of a verdict and as a rule that was passed. */
  reason: string
}

/** Is this good ground for world-model RL? The first broken rule names the verdict. */
export function groundFor(evidence: Evidence): Verdict {
  const rules = rulesOf(evidence)
  const broken = rules.filter((rule) => rule.broken)
  if (broken.length === 0) {
    return {
      ground: 'good ground for RWML',
      reasons: rules.map((rule) => rule.reason),
      also: [],
      notes: notesOf(evidence),
    }
  }
  const [first, ...others] = broken
  return {
    ground: first.ground,
    reasons: [first.reason],
    also: others
      .filter(({ ground }) => ground !== OPPOSITE[first.ground])
      .map(({ ground, reason }) => ({ ground, reason })),
    notes: notesOf(evidence),
  }
}

/** What is predictable to a table is not unpredictable because a model fails at it, nor the other way round. */
const OPPOSITE: Partial<Record<Ground, Ground>> = {
  'too predictable': 'too unpredictable',
  'too unpredictable': 'too predictable',
}

/** A table this much ahead of the model, in mean reward, is worth a word: to come up to it is no understanding yet. */
const AHEAD = 0.1

function notesOf({ baselines, variance }: Evidence): string[] {
  if (variance && isUnread(variance)) {
    return [
      `only ${percent(variance.parsed ?? 0)} of the predictions of the ${variance.source} follow the answer format: teach it the format first (a supervised stage), or give a larger model; the variance of rewards says nothing until then`,
    ]
  }
  if (!variance || variance.all.groups === 0 || baselines.length === 0) return []
  const best = baselines.reduce((a, b) => (a.rewarded >= b.rewarded ? a : b))
  const { meanReward } = variance.all
  if (best.rewarded < meanReward + AHEAD) return []
  return [
    `a look-up is ahead: ${best.predictor} earns ${percent(best.rewarded)}, the ${variance.source} ${percent(meanReward)}; a world model has to pass that before it knows more than a table`,
  ]
}

/** Whether the predictions could hardly be read: then nothing follows from their rewards. */
function isUnread({ parsed }: GroupVariance): boolean {
  return parsed !== null && parsed < LEAST_PARSED
}

const percent = (value: number): string => `${(100 * value).toFixed(1)}%`

function rulesOf({ visibility, baselines, reward, variance }: Evidence): Rule[] {
  const rules: Rule[] = []
  const best = baselines.reduce<WorldModelResult | null>((a, b) => (a && a.exact >= b.exact ? a : b), null)
  if (best) {
    rules.push({
      ground: 'too predictable',
      broken: best.exact >= PREDICTABLE,
      reason: `the best baseline, ${best.predictor}, predicts ${percent(best.exact)} exactly (bound: below ${percent(PREDICTABLE)})`,
    })
  }
  if (visibility.told !== null) {
    const excused = best !== null && best.exact >= TOLD_BY_TABLE
    const exception =
      visibility.told < LEAST_TOLD && excused
        ? `, unless a look-up is right in half; here it is in ${percent(best.exact)}`
        : ''
    rules.push({
      ground: 'too unpredictable',
      broken: visibility.told < LEAST_TOLD && !excused,
      reason: `the history tells ${percent(visibility.told)} of the next states' content (bound: at least ${percent(LEAST_TOLD)}${exception})`,
    })
  }
  if (reward) rules.push(rewardRule(reward))
  if (variance && variance.all.groups > 0 && !isUnread(variance)) rules.push(varianceRule(variance))
  return rules
}

function rewardRule({ graded, precision, separation }: RewardTest): Rule {
  const ground = 'reward too blunt'
  if (graded) {
    return {
      ground,
      broken: separation < LEAST_SEPARATION,
      reason: `the same state earns more than a different one in ${percent(separation)} of pairs (bound: at least ${percent(LEAST_SEPARATION)})`,
    }
  }
  return {
    ground,
    broken: precision < LEAST_PRECISION,
    reason: `${percent(precision)} of what is rewarded is the same state (bound: at least ${percent(LEAST_PRECISION)})`,
  }
}

/**
 * All alike is all right or all wrong: the mean reward tells which. Of all groups, not of those that a filter kept: a band
 * filter keeps them because they vary.
 */
function varianceRule({ all, source, size }: GroupVariance): Rule {
  return {
    ground: all.meanReward >= 0.5 ? 'too predictable' : 'too unpredictable',
    broken: all.varied < LEAST_VARIED,
    reason: `in ${percent(all.varied)} of groups the ${size} predictions of the ${source} earn different rewards (bound: at least ${percent(LEAST_VARIED)})`,
  }
}
