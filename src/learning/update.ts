import type { AdamParams, KlTerm, Sampler, Trainer } from '../engines/index.ts'
import type { TokenSequence } from '../tokens/index.ts'
import type { AdvantageOptions } from './advantages.ts'
import type { Aggregation } from './aggregation.ts'
import { type GroupMember, policyData, sftData, withReference } from './data.ts'
import { environmentData } from './environment-tokens.ts'

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
  /** Weight of the cross-entropy on what the environment answered (`GroupMember.observed`), in the same step. Default 0. */
  environmentTokens?: number
  /** Control: advantages are handed out at random, by this seed. Absent: each sample keeps its own. */
  permute?: number
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
    permute: options.permute,
  })
  const { environmentTokens = 0 } = options
  const observed = environmentTokens > 0 ? environmentData(groups, environmentTokens) : []
  const update = {
    reward: built.meanReward,
    groups: built.groups,
    groupVariance: built.groups.mixed / Math.max(1, groups.length),
  }
  if (built.data.length + observed.length === 0) {
    return { ...update, loss: 0, gradientNorm: 0, trainedTokens: 0, metrics: {} }
  }
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
  let [loss, trainedTokens] = [0, 0]
  const metrics: Record<string, number> = {}
  if (data.length > 0) {
    const result = await trainer.forwardBackward(data, {
      kind: 'ppo',
      clipLow: options.clipLow,
      clipHigh: options.clipHigh,
      kl: useKl ? options.kl : undefined,
      entropy: options.entropy,
      temperature: options.temperature,
    })
    loss += result.loss
    trainedTokens += result.tokens.trained
    Object.assign(metrics, result.metrics)
  }
  if (observed.length > 0) {
    // Gradients add up over calls: one step serves both.
    const echoed = await trainer.forwardBackward(observed, { kind: 'cross_entropy' })
    metrics.environmentLoss = echoed.loss / environmentTokens
    metrics.environmentTokens = echoed.tokens.trained
    loss += echoed.loss
    trainedTokens += echoed.tokens.trained
  }
  const { gradientNorm } = await trainer.optimStep(options.adam)
  return { ...update, loss, gradientNorm, trainedTokens, metrics }
}

/** A pull towards a frozen reference. */
export interface SftKl {
  term: KlTerm
  reference: Sampler
}

/**
 * One supervised step. With `kl` the estimate runs over the labels' tokens: they are not sampled from the model, so it is no
 * divergence, but a penalty on how far the model has moved on what it is shown.
 */
export async function sftUpdate(
  trainer: Trainer,
  examples: Pick<TokenSequence, 'tokens' | 'mask'>[],
  adam: AdamParams,
  kl?: SftKl,
): Promise<{ loss: number; gradientNorm: number; trainedTokens: number; kl?: number }> {
  const plain = sftData(examples)
  const data = kl ? withReference(plain, await kl.reference.logprobs(plain.map(({ tokens }) => tokens))) : plain
  const result = await trainer.forwardBackward(data, { kind: 'cross_entropy', kl: kl?.term })
  const { gradientNorm } = await trainer.optimStep(adam)
  const update = { loss: result.loss, gradientNorm, trainedTokens: result.tokens.trained }
  return kl ? { ...update, kl: result.metrics.kl } : update
}
