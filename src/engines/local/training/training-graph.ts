import { type Loss, MOST_ALTERNATIVES } from '../../engine.ts'
import { scale, Tape, tokenLogprobs } from '../autodiff/index.ts'
import type { ModelConfig } from '../config.ts'
import { GraphBuilder } from '../onnx/index.ts'
import { appendDecoder, type DecoderForm } from './decoder.ts'
import { lossRows } from './policy-loss.ts'

/** A graph ready for a session, and how its gradient outputs belong to the parameters. */
export interface ModelGraph {
  bytes: Uint8Array
  /** Outputs with a whole parameter's gradient. */
  dense: { output: string; parameter: string }[]
  /** Outputs whose row i is to be added to row `index[i]` of a parameter's gradient; `index` is a graph input. */
  byRow: { output: string; parameter: string; index: string }[]
}

function appendLogprobs(graph: GraphBuilder, config: ModelConfig, form: DecoderForm, temperature: number) {
  const tape = new Tape(graph)
  const decoder = appendDecoder(tape, config, form)
  const targets = graph.input('targets', 'int32', ['outputRows'])
  const hidden = temperature === 1 ? decoder.hidden : scale(decoder.hidden, 1 / temperature)
  const rows = tokenLogprobs(hidden, decoder.head, targets)
  graph.output('logprobs', rows.logprobs.value, 'float32', ['outputRows', 1])
  return { tape, decoder, rows }
}

/** Forward only: output `logprobs` [rows, 1]. */
export function logprobGraph(config: ModelConfig, form: DecoderForm, temperature: number): ModelGraph {
  const graph = new GraphBuilder('logprobs')
  appendLogprobs(graph, config, form, temperature)
  return { bytes: graph.build(), dense: [], byRow: [] }
}

/**
 * Forward only, at temperature 1: `logprobs` [rows, 1], and the most probable tokens of each row, the most probable first:
 * `alternativeTokens`, `alternativeLogprobs` [rows, count], `MOST_ALTERNATIVES` or as many as there are.
 */
export function scoreGraph(config: ModelConfig, form: DecoderForm): ModelGraph {
  const graph = new GraphBuilder('score')
  const { rows } = appendLogprobs(graph, config, form, 1)
  const count = Math.min(MOST_ALTERNATIVES, config.vocab_size)
  const [logits, tokens] = graph.nodes('TopK', [rows.logits, graph.int64([count])], 2, { axis: -1 })
  graph.output('alternativeTokens', tokens, 'int64', ['outputRows', count])
  graph.output('alternativeLogprobs', graph.node('Sub', [logits, rows.logSum]), 'float32', ['outputRows', count])
  return { bytes: graph.build(), dense: [], byRow: [] }
}

/**
 * Forward and backward: outputs `logprobs`, `entropy`, `loss` [rows, 1] and the gradient of Σ weight × loss. Inputs
 * `weights`, `advantages`, `oldLogprobs`, `refLogprobs` [rows, 1] are there as the loss needs them.
 */
export function trainingGraph(config: ModelConfig, form: DecoderForm, loss: Loss): ModelGraph {
  const graph = new GraphBuilder('training')
  const temperature = loss.kind === 'ppo' ? (loss.temperature ?? 1) : 1
  const { tape, decoder, rows } = appendLogprobs(graph, config, form, temperature)
  const column = (name: string) => tape.constant(graph.input(name, 'float32', ['outputRows', 1]), ['outputRows', 1])
  const policy = loss.kind === 'ppo'
  const unused = tape.constant(graph.scalar(0), [])
  const losses = lossRows(loss, {
    ...rows,
    advantages: policy ? column('advantages') : unused,
    oldLogprobs: policy ? column('oldLogprobs') : unused,
    refLogprobs: loss.kl ? column('refLogprobs') : unused,
  })
  graph.output('entropy', rows.entropy.value, 'float32', ['outputRows', 1])
  graph.output('loss', losses.value, 'float32', ['outputRows', 1])

  const parameters = [...decoder.trained]
  const gradients = tape.gradients(
    losses,
    column('weights').value,
    parameters.map(([, tensor]) => tensor),
  )
  const dense = parameters.flatMap(([parameter, tensor], i) => {
    const value = gradients[i]
    if (value === undefined) return []
    const output = `gradient.${parameter}`
    graph.output(output, value, 'float32', tensor.shape)
    return [{ output, parameter }]
  })
  const byRow = tape.rowGradients.map(({ parameter, index, rows: value, width }, i) => {
    const output = `rows.${i}`
    graph.output(output, value, 'float32', [index, width])
    return { output, parameter, index }
  })
  return { bytes: graph.build(), dense, byRow }
}
