import {
  add,
  attention,
  concat,
  distributeRows,
  embed,
  firstRows,
  type KeySet,
  linear,
  matmul,
  permuteRows,
  recomputed,
  reshape,
  rmsNorm,
  rotary,
  swiglu,
  type Tape,
  type Tensor,
} from '../autodiff/index.ts'
import { type ModelConfig, type ParameterSpec, parameterSpecs } from '../config.ts'
import { type Lora, loraNames, loraScale, loraSpecs } from '../lora.ts'
import type { Value } from '../onnx/index.ts'

/** Which form of the decoder graph. */
export interface DecoderForm {
  /** With shared prefixes, or plain sequences. */
  prefixed: boolean
  /** Rows in prefixes are wanted, too. */
  prefixRows: boolean
  /** Into how many blocks of rows sequences (or the prefixes they share) are cut for attention to what comes before. */
  blocks: number
  /** The weights stand still, and have this adapter beside them. */
  lora?: Lora
  /** Compute the insides of layers again in the backward pass, and keep only what goes from one to the next. */
  recompute?: boolean
}

/** The decoder in a graph: what is trained by name, and the normalised hidden state of each wanted row [selected, d]. */
export interface Decoder {
  trained: Map<string, Tensor>
  hidden: Tensor
  head: Tensor
}

/**
 * Append a decoder to the tape's graph. Inputs besides the parameters are `cosine` and `sine`, rotary tables of as many
 * positions as the sequences have, and those of `layoutRun`: this function and that one describe the same layout.
 */
export function appendDecoder(tape: Tape, config: ModelConfig, form: DecoderForm): Decoder {
  const { graph } = tape
  const { num_attention_heads: queryHeads, num_key_value_heads: keyHeads, rms_norm_eps: epsilon } = config
  const size = config.head_dim
  const index = (name: string) => graph.input(name, 'int32', [name])
  const shape = (name: string, rank: number) => graph.input(name, 'int64', [rank])

  const { lora } = form
  const trainable = ({ name, shape }: ParameterSpec): [string, Tensor] => [name, tape.parameter(name, shape)]
  const frozen = ({ name, shape }: ParameterSpec): [string, Tensor] => [
    name,
    tape.constant(graph.input(name, 'float32', shape), shape),
  ]
  const base = new Map(parameterSpecs(config).map(lora ? frozen : trainable))
  const adapter = new Map(lora ? loraSpecs(config, lora).map(trainable) : [])
  const weight = (name: string): Tensor => {
    const tensor = base.get(name) ?? adapter.get(name)
    if (!tensor) throw new Error(`no parameter ${name}`)
    return tensor
  }
  /** A linear layer, with its bias where the model has one and its adapter where that has one for it. */
  const project = (x: Tensor, name: string): Tensor => {
    const whole = linear(x, weight(`${name}.weight`), base.get(`${name}.bias`))
    const { a, b } = loraNames(`${name}.weight`)
    if (!lora || !adapter.has(a)) return whole
    const narrow = linear(x, weight(a))
    return add(whole, matmul(narrow, weight(b), { transB: true, alpha: loraScale(lora) }))
  }

  const ids = index('ids')
  const positions = graph.input('positions', 'int64', ['ids', 1])
  const cosine = graph.input('cosine', 'float32', ['positions', size / 2])
  const sine = graph.input('sine', 'float32', ['positions', size / 2])
  const negativeSine = graph.node('Neg', [sine])
  const turn = (x: Tensor) => rotary(x, positions, cosine, sine, negativeSine)
  const byHead = (x: Tensor, heads: number) => reshape(x, [-1, size], [`ids·${heads}`, size])
  /** Each head by itself, where the model has a norm of this name. */
  const normalise = (x: Tensor, heads: number, name: string): Tensor => {
    const gain = base.get(`${name}.weight`)
    if (!gain) return x
    return reshape(rmsNorm(byHead(x, heads), gain, epsilon), [-1, heads * size], ['ids', heads * size])
  }

  // Rows of block b see the keys of their sequence up to the block's end: the later ones would only be masked.
  const keyShape = shape('selfKeyShape', 3)
  const blocks = Array.from({ length: form.blocks }, (_, b) => ({
    queries: index(`selfQueries${b}`),
    queryShape: shape(`selfQueryShape${b}`, 3),
    keyShape: b === form.blocks - 1 ? keyShape : shape(`selfKeyShape${b}`, 3),
    mask: graph.input(`selfMask${b}`, 'float32', [`selfQueries${b}`, `selfKeys${b}`]),
    cut: b < form.blocks - 1 && { shape: keyShape, end: shape(`selfEnd${b}`, 1), padding: shape(`selfPadding${b}`, 6) },
  }))
  const selfKeys = index('selfKeys')
  const querySlots = index('querySlots')
  const queryInverse = index('queryInverse')
  const keyInverse = index('keyInverse')
  const answers = form.prefixed
    ? {
        queries: index('queryAnswer'),
        keys: index('keyAnswer'),
        own: {
          queryShape: shape('ownQueryShape', 3),
          keyShape: shape('ownKeyShape', 3),
          mask: graph.input('ownMask', 'float32', ['ownQueries', 'ownKeys']),
        },
        cross: {
          queryShape: shape('crossQueryShape', 3),
          keyShape,
          mask: graph.input('crossMask', 'float32', ['prefixBatch', 1, 'prefixKeys']),
        },
        widths: shape('widths', 2),
      }
    : undefined

  const attend = (q: Tensor, k: Tensor, v: Tensor, last: boolean): Tensor => {
    const keyIndices: Value[] = answers ? [selfKeys, answers.keys] : [selfKeys]
    const keys = distributeRows(byHead(k, keyHeads), keyIndices, keyInverse)
    const values = distributeRows(byHead(v, keyHeads), keyIndices, keyInverse)
    const queries = byHead(q, queryHeads)
    const scale = 1 / Math.sqrt(size)
    const ofBlocks = blocks.map((block) => block.queries)
    const answersOnly = last && answers && !form.prefixRows
    const parts = answersOnly
      ? [permuteRows(queries, answers.queries, index('lastInverse'), 'queryAnswer', { unused: true })]
      : distributeRows(queries, answers ? [...ofBlocks, answers.queries] : ofBlocks, queryInverse)
    const outputs = (answersOnly ? [] : blocks).map(({ queryShape, keyShape, mask, cut }, b) => {
      const seen = (x: Tensor) => (cut ? firstRows(x, cut) : x)
      return attention(parts[b], [{ keys: seen(keys[0]), values: seen(values[0]), queryShape, keyShape, mask }], scale)
    })
    if (answers) {
      const cross: KeySet = { ...answers.cross, keys: keys[0], values: values[0] }
      const own: KeySet = { ...answers.own, keys: keys[1], values: values[1] }
      outputs.push(attention(parts[parts.length - 1], [cross, own], scale, answers.widths))
    }
    const joined = outputs.length === 1 ? outputs[0] : concat(outputs, 0, 'querySlots')
    const rows = last
      ? permuteRows(joined, index('outputSlots'), index('outputInverse'), 'outputSlots', { unused: true })
      : permuteRows(joined, queryInverse, querySlots, 'ids')
    const width = queryHeads * size
    return reshape(rows, [-1, width], [last ? 'outputRows' : 'ids', width])
  }

  const layer = (before: Tensor, i: number): Tensor => {
    const last = i === config.num_hidden_layers - 1
    const name = `model.layers.${i}`
    const self = `${name}.self_attn`
    const input = rmsNorm(before, weight(`${name}.input_layernorm.weight`), epsilon)
    const q = turn(normalise(project(input, `${self}.q_proj`), queryHeads, `${self}.q_norm`))
    const k = turn(normalise(project(input, `${self}.k_proj`), keyHeads, `${self}.k_norm`))
    const mixed = attend(q, k, project(input, `${self}.v_proj`), last)
    const kept = last
      ? permuteRows(before, index('outputRows'), index('rowInverse'), 'outputRows', { unused: true })
      : before
    const x = add(kept, project(mixed, `${self}.o_proj`))
    const inner = rmsNorm(x, weight(`${name}.post_attention_layernorm.weight`), epsilon)
    const gate = project(inner, `${name}.mlp.gate_proj`)
    const up = project(inner, `${name}.mlp.up_proj`)
    return add(x, project(swiglu(gate, up), `${name}.mlp.down_proj`))
  }

  const trained = lora ? adapter : base
  let x = embed(weight('model.embed_tokens.weight'), ids, 'ids')
  for (let i = 0; i < config.num_hidden_layers; i++) {
    const own = [...trained].flatMap(([name, tensor]) => (name.startsWith(`model.layers.${i}.`) ? [tensor] : []))
    // The last layer's turn backwards comes at once: there is nothing to gain.
    const recompute = form.recompute && i < config.num_hidden_layers - 1
    const before = tape.boundary(x, own)
    x = recompute ? recomputed(before, own, (again) => layer(again, i)) : layer(before, i)
  }
  const hidden = rmsNorm(x, weight('model.norm.weight'), epsilon)
  return {
    trained,
    hidden,
    head: weight(config.tie_word_embeddings ? 'model.embed_tokens.weight' : 'lm_head.weight'),
  }
}
