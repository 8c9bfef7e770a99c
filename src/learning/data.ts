import { Random } from '../core/index.ts'
import type { Datum } from '../engines/index.ts'
import { checkMask, type TokenSequence } from '../tokens/index.ts'
import {
  type AdvantageOptions,
  countOutcomes,
  DEFAULT_ADVANTAGES,
  type GroupOutcome,
  groupAdvantages,
  groupOutcome,
} from './advantages.ts'
import { type Aggregation, aggregationWeights } from './aggregation.ts'

/** One sample of a prompt, or one attempt at a task, with what it earned. */
export interface GroupMember {
  /** One for an answer or an append-only episode; several where an episode is made of step samples or restarted. */
  sequences: TokenSequence[]
  reward: number
  /** Along each sequence, 1 where a token is part of what the environment answered to an action; needed for `environmentTokens`. */
  observed?: number[][]
}

export interface PolicyDataOptions {
  advantages: AdvantageOptions
  aggregation: Aggregation
  /**
   * Whether groups without variance are handed to the engine. Their advantages are 0, so without a KL or entropy term
   * `skip` saves their compute and changes nothing; with one, `keep` lets it act on them too. Weights are the same.
   */
  zeroVariance: 'keep' | 'skip'
  /** Control: hand the advantages out to the samples of the step at random, by this seed. Absent: each keeps its own. */
  permute?: number
}

export const DEFAULT_POLICY_DATA: PolicyDataOptions = {
  advantages: DEFAULT_ADVANTAGES,
  aggregation: { kind: 'tokenMean' },
  zeroVariance: 'keep',
}

export interface PolicyData {
  /** In order of groups, members, sequences. */
  data: Datum[]
  /** Groups by outcome, skipped ones included. */
  groups: Record<GroupOutcome, number>
  meanReward: number
}

/** The data of one policy step from groups of samples. A mask that trains on nothing or on everything is an error. */
export function policyData(
  groups: readonly (readonly GroupMember[])[],
  options: PolicyDataOptions = DEFAULT_POLICY_DATA,
): PolicyData {
  const rewards = groups.map((group) => group.map((member) => member.reward))
  const own = groups.flatMap((group, g) => {
    const steps = group.map((member) => member.sequences.length)
    return groupAdvantages(rewards[g], options.advantages, steps)
  })
  const { permute } = options
  const advantages = permute === undefined ? own : new Random('permuted advantages', permute).shuffle(own)
  let sample = 0
  const flat = groups.flatMap((group, g) => {
    const mixed = groupOutcome(rewards[g]) === 'mixed'
    return group.flatMap((member, m) => {
      const advantage = advantages[sample++]
      return member.sequences.map((sequence) => ({
        sequence,
        teaches: permute === undefined ? mixed : advantage !== 0,
        advantage,
        where: `group ${g}, sample ${m}`,
      }))
    })
  })
  for (const { sequence, where } of flat) checkSequence(sequence, where)
  const weights = aggregationWeights(
    flat.map(({ sequence }) => sequence.mask),
    options.aggregation,
  )
  const data = flat.map(({ sequence, advantage }, index): Datum => {
    return {
      tokens: sequence.tokens,
      weights: weights[index],
      advantages: sequence.mask.map((value) => (value === 0 ? 0 : advantage)),
      oldLogprobs: sequence.logprobs,
    }
  })
  const all = rewards.flat()
  return {
    data: options.zeroVariance === 'keep' ? data : data.filter((_, index) => flat[index].teaches),
    groups: countOutcomes(rewards),
    meanReward: all.reduce((sum, reward) => sum + reward, 0) / Math.max(all.length, 1),
  }
}

/** The data of one SFT step. Masks may hold token weights other than 1 (see `aggregationWeights`). */
export function sftData(
  examples: readonly Pick<TokenSequence, 'tokens' | 'mask'>[],
  aggregation: Aggregation = { kind: 'tokenMean' },
): Datum[] {
  for (const [index, example] of examples.entries()) checkSequence(example, `example ${index}`)
  const weights = aggregationWeights(
    examples.map((example) => example.mask),
    aggregation,
  )
  return examples.map((example, index) => ({ tokens: example.tokens, weights: weights[index] }))
}

/** The same data with the log-probabilities of the frozen reference, for a KL term. */
export function withReference(data: readonly Datum[], refLogprobs: readonly number[][]): Datum[] {
  if (data.length !== refLogprobs.length) {
    throw new Error(`${data.length} sequences but reference log-probabilities of ${refLogprobs.length}`)
  }
  return data.map((datum, index) => ({ ...datum, refLogprobs: refLogprobs[index] }))
}

function checkSequence(
  sequence: Pick<TokenSequence, 'tokens' | 'mask'> & { logprobs?: number[] },
  where: string,
): void {
  const { tokens, mask, logprobs } = sequence
  if (mask.length !== tokens.length || (logprobs && logprobs.length !== tokens.length)) {
    throw new Error(`${where}: tokens, mask and log-probabilities differ in length`)
  }
  checkMask(mask, where)
  if (mask[0] !== 0) throw new Error(`${where}: the first token has nothing before it to be predicted from`)
}
