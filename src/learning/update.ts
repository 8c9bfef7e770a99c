import type { AdamParams, KlTerm, Sampler, Trainer } from '../engines/index.ts'
import type { TokenSequence } from '../tokens/index.ts'
import type { AdvantageOptions } from './advantages.ts'
import type { Aggregation } from './aggregation.ts'
import { type GroupMember, policyData, sftData, withReference } from './data.ts'

export interface PolicyUpdateOptions {
  advantages: AdvantageOptions
  aggregation: Aggregation
  clipLow: number
  clipHigh: number
  kl: KlTerm
  entropy: number
  /** Temperature the samples were drawn at: the policy that is trained is the tempered one. */
  temperature: number
  adam: AdamParams
}

export interface PolicyUpdate {
  reward: number
  groups: Record<string, number>
  /** Share of groups whose rewards differ: the only ones that teach. */
  groupVariance: number
  loss: number
  gradientNorm: number
  trainedTokens: number
  /** The engine's means over trained tokens: entropy, kl, ratio, clipShare, logprobDifference…. */
  metrics: Record<string, number>
}

/**
 * One strictly on-policy GRPO step: group advantages, clipped ratio to the sampling policy, KL to the frozen reference
 * (arXiv 2602.05842, section 4). Without anything to learn from (no group varies, no KL, no entropy) the weights stay.
 */
export async function policyUpdate(
  trainer: Trainer,
  reference: Sampler | null,
  groups: GroupMember[][],
  options: PolicyUpdateOptions,
): Promise<PolicyUpdate> {
  const needsAll = options.kl.coefficient > 0 || options.entropy > 0
  const built = policyData(groups, {
    advantages: options.advantages,
    aggregation: options.aggregation,
    zeroVariance: needsAll ? 'keep' : 'skip',
  })
  const update = {
    reward: built.meanReward,
    groups: built.groups,
    groupVariance: built.groups.mixed / Math.max(1, groups.length),
  }
  if (built.data.length === 0) return { ...update, loss: 0, gradientNorm: 0, trainedTokens: 0, metrics: {} }
  const useKl = options.kl.coefficient > 0 && reference !== null
  const data = useKl
    ? withReference(
        built.data,
        await reference.logprobs(
          built.data.map((datum) => datum.tokens),
          options.temperature,
        ),
      )
    : built.data
  const result = await trainer.forwardBackward(data, {
    kind: 'ppo',
    clipLow: options.clipLow,
    clipHigh: options.clipHigh,
    kl: useKl ? options.kl : undefined,
    entropy: options.entropy,
    temperature: options.temperature,
  })
  const { gradientNorm } = await trainer.optimStep(options.adam)
  return { ...update, loss: result.loss, gradientNorm, trainedTokens: result.tokens.trained, metrics: result.metrics }
}

/** One supervised step. */
export async function sftUpdate(
  trainer: Trainer,
  examples: Pick<TokenSequence, 'tokens' | 'mask'>[],
  adam: AdamParams,
): Promise<{ loss: number; gradientNorm: number; trainedTokens: number }> {
  const result = await trainer.forwardBackward(sftData(examples), { kind: 'cross_entropy' })
  const { gradientNorm } = await trainer.optimStep(adam)
  return { loss: result.loss, gradientNorm, trainedTokens: result.tokens.trained }
}
