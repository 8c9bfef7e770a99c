/**
 * Losses as a server can compute them. A server knows four, and its reduction; everything else that depends on each token's own
 * log-probability alone is made of them: a first pass brings the log-probabilities, the derivative of the loss by each is taken
 * here, and a second pass is asked for Σ derivative × log-probability, whose gradient is the same. Never an approximation: what
 * cannot be had so (entropy, other temperatures) is refused.
 */
import { UserError } from '../../core/index.ts'
import { checkTokens } from '../check-tokens.ts'
import type { Datum, Loss } from '../engine.ts'
import type { ModelConfig } from '../local/index.ts'
import { short } from './codec.ts'
import type { ServerTraits } from './settings.ts'
import { type TokenInputs, tokenLoss } from './token-loss.ts'
import { modelInput, type WireDatum, type WirePass, type WireTensor } from './wire.ts'

/** @throws UserError for what the protocol cannot express, tokens of another model, or where `data` lacks what the loss needs */
export function checkPass(data: readonly Datum[], loss: Loss, config: ModelConfig): void {
  if (loss.kind === 'ppo') {
    if (loss.entropy) {
      throw new UserError(
        'a Tinker server cannot compute an entropy bonus: set entropy to 0, or train on the local engine',
      )
    }
    if (loss.temperature !== undefined && loss.temperature !== 1) {
      throw new UserError(
        `a Tinker server trains the policy at temperature 1, not ${loss.temperature}: sample at 1, or train on the local engine`,
      )
    }
  }
  data.forEach((datum, index) => {
    checkTokens(datum.tokens, `datum ${index}`, config)
    const needed = {
      weights: datum.weights,
      ...(loss.kind === 'ppo' && { advantages: datum.advantages, oldLogprobs: datum.oldLogprobs }),
      ...(loss.kl && { refLogprobs: datum.refLogprobs }),
    }
    for (const [name, values] of Object.entries(needed)) {
      if (values?.length !== datum.tokens.length) {
        throw new Error(
          `datum ${index}: ${name} has ${values?.length ?? 'no'} entries for ${datum.tokens.length} tokens`,
        )
      }
      const wrong = values.findIndex((value) => !Number.isFinite(value))
      if (wrong >= 0) {
        throw new UserError(
          `datum ${index}: ${name}[${wrong}] is not finite; nothing was sent, the weights are as they were: check rewards and log-probabilities of the data`,
        )
      }
    }
    if (datum.weights[0]) throw new Error(`datum ${index}: its first token has a weight, but nothing predicts it`)
  })
}

/** Whether the server computes this loss itself; where not, the log-probabilities are needed first. */
export function isBuiltIn(data: readonly Datum[], loss: Loss): boolean {
  if (loss.kl) return false
  if (loss.kind === 'cross_entropy') return true
  // A negative weight turns the minimum inside the loss into a maximum.
  return loss.dualClip === undefined && data.every((datum) => datum.weights.every((weight) => weight >= 0))
}

/** The pass that only brings log-probabilities. */
export function forwardPass(data: readonly Datum[]): WirePass {
  return {
    loss_fn: 'cross_entropy',
    data: data.map((datum) => wireDatum(datum, { weights: mask(datum) })),
  }
}

/** The pass for a loss the server has. `scale` is the number of data that its mean is taken over; a sum takes no heed of it. */
export function builtInPass(data: readonly Datum[], loss: Loss, traits: ServerTraits, scale: number): WirePass {
  if (loss.kind === 'cross_entropy')
    return linearPass(
      data,
      data.map(({ weights }) => weights),
      traits,
      scale,
    )
  // No clipping at all has a name of its own; JSON has no infinity.
  const unclipped = loss.clipLow >= 1 && loss.clipHigh === Number.POSITIVE_INFINITY
  return {
    loss_fn: unclipped ? 'importance_sampling' : 'ppo',
    ...(!unclipped && {
      loss_fn_config: { clip_low_threshold: 1 - loss.clipLow, clip_high_threshold: 1 + loss.clipHigh },
    }),
    data: data.map((datum) => {
      const factor = datumFactor(datum, traits, scale)
      return wireDatum(datum, {
        // Weights are not negative here, so that weight × loss is the loss of weight × advantage.
        advantages: datum.tokens.map((_, t) => datum.weights[t] * (datum.advantages?.[t] ?? 0) * factor),
        logprobs: datum.oldLogprobs ?? [],
        ...(traits.reduction === 'mean' && { weights: mask(datum) }),
      })
    }),
  }
}

/** The pass for any other loss, linear in the log-probabilities around where they are. */
export function linearisedPass(
  data: readonly Datum[],
  loss: Loss,
  logprobs: readonly number[][],
  traits: ServerTraits,
  scale: number,
): WirePass {
  const factors = data.map((datum, i) =>
    datum.weights.map((weight, t) =>
      weight === 0 ? 0 : -weight * tokenLoss(loss, inputsAt(datum, logprobs[i], t)).slope,
    ),
  )
  return linearPass(data, factors, traits, scale)
}

/**
 * A pass whose loss is −Σ factor × log-probability. Where the server takes means, its cross-entropy would divide by what it is
 * weighted with; cispo with both thresholds at 1 is the same loss with the factors in the advantages.
 */
function linearPass(
  data: readonly Datum[],
  factors: readonly number[][],
  traits: ServerTraits,
  scale: number,
): WirePass {
  if (traits.reduction === 'sum') {
    return { loss_fn: 'cross_entropy', data: data.map((datum, i) => wireDatum(datum, { weights: factors[i] })) }
  }
  return {
    loss_fn: 'cispo',
    loss_fn_config: { clip_low_threshold: 1, clip_high_threshold: 1 },
    data: data.map((datum, i) => {
      const factor = datumFactor(datum, traits, scale)
      return wireDatum(datum, {
        advantages: factors[i].map((value) => value * factor),
        logprobs: datum.tokens.map(() => 0),
        weights: mask(datum),
      })
    }),
  }
}

/** What the server's means divide by, of one datum. */
function datumFactor(datum: Datum, { reduction }: ServerTraits, scale: number): number {
  return reduction === 'sum' ? 1 : scale * mask(datum).reduce((a, b) => a + b, 0)
}

/** 1 where a token is trained on. */
function mask({ weights }: Datum): number[] {
  return weights.map((weight) => (weight === 0 ? 0 : 1))
}

/** What a token's loss depends on. */
export function inputsAt(datum: Datum, logprobs: readonly number[], t: number): TokenInputs {
  return {
    logprob: logprobs[t],
    advantage: datum.advantages?.[t] ?? 0,
    oldLogprob: datum.oldLogprobs?.[t] ?? 0,
    refLogprob: datum.refLogprobs?.[t] ?? 0,
  }
}

/** Columns run along the tokens here, and along the targets there: entry t predicts token t, which is target t − 1. */
function wireDatum({ tokens }: Datum, columns: Record<string, readonly number[]>): WireDatum {
  const tensor = (data: number[], dtype: WireTensor['dtype']): WireTensor => ({ data, dtype, shape: [data.length] })
  return {
    model_input: modelInput(tokens.slice(0, -1)),
    loss_fn_inputs: {
      target_tokens: tensor(tokens.slice(1), 'int64'),
      ...Object.fromEntries(
        Object.entries(columns).map(([name, values]) => [name, tensor(values.slice(1).map(short), 'float32')]),
      ),
    },
  }
}

/** Rough bytes of a number in JSON, its comma included. */
const BYTES = { int64: 7, float32: 13 }

/** The data of a pass, in its order, in parts that the server takes at once. */
export function chunksOf(data: readonly WireDatum[], mostData: number, mostBytes: number): WireDatum[][] {
  const chunks: WireDatum[][] = []
  let room = 0
  for (const datum of data) {
    const bytes = Object.values(datum.loss_fn_inputs).reduce(
      (sum, { data: values, dtype }) => sum + values.length * BYTES[dtype],
      datum.loss_fn_inputs.target_tokens.data.length * BYTES.int64 + 200,
    )
    const last = chunks.at(-1)
    if (last && last.length < mostData && bytes <= room) last.push(datum)
    else {
      chunks.push([datum])
      room = mostBytes
    }
    room -= bytes
  }
  return chunks
}
