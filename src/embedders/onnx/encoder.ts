import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { loadRuntime, type Runtime, UserError } from '../../core/index.ts'
import { type EncoderFolder, encoderHash, readEncoderFolder } from './encoder-folder.ts'
import { EncoderTokenizer } from './encoder-tokenizer.ts'
import { type Pooling, pooled } from './pooling.ts'

/** What a graph may ask for, and what it is given for each token. */
const INPUTS: Record<string, (ids: readonly number[]) => number[]> = {
  input_ids: (ids) => [...ids],
  attention_mask: (ids) => ids.map(() => 1),
  token_type_ids: (ids) => ids.map(() => 0),
  position_ids: (ids) => ids.map((_, at) => at),
}

/** Exports that pool by themselves name it so. */
const SENTENCE = 'sentence_embedding'
const TOKENS = ['last_hidden_state', 'token_embeddings']

const INTEGERS = { int64: BigInt64Array, int32: Int32Array } as const

/**
 * A sentence encoder on this machine's processor. One text goes through the graph at a time: in company, sums of other shapes and, in
 * quantised graphs, scales shared by a batch would move its vector, and a reward must not hang on what else was asked.
 */
export class Encoder {
  readonly hash: string
  private readonly ort: Runtime
  private readonly session: InferenceSession
  private readonly tokenizer: EncoderTokenizer
  private readonly pooling: Pooling
  private readonly output: string
  private readonly inputs: { name: string; type: keyof typeof INTEGERS }[]

  private constructor(ort: Runtime, session: InferenceSession, folder: EncoderFolder) {
    this.ort = ort
    this.session = session
    this.pooling = folder.pooling
    this.inputs = session.inputMetadata.map((input) => {
      const type = input.isTensor ? input.type : 'none'
      if (!(input.name in INPUTS) || (type !== 'int64' && type !== 'int32')) {
        throw new UserError(
          `${folder.model} asks for ${input.name} (${type}): it is no sentence encoder that can be used here; those with past_key_values have to be exported without`,
        )
      }
      return { name: input.name, type }
    })
    const names = session.outputNames
    this.output = [SENTENCE, ...TOKENS].find((name) => names.includes(name)) ?? names[0]
    this.tokenizer = new EncoderTokenizer(folder.tokenizer, folder.maxTokens)
    this.hash = encoderHash(folder)
  }

  /** @throws UserError */
  static async open(path: string, threads: number): Promise<{ encoder: Encoder; dimension: number }> {
    const folder = readEncoderFolder(path)
    const ort = await loadRuntime()
    let session: InferenceSession
    try {
      session = await ort.InferenceSession.create(folder.model, { intraOpNumThreads: threads, logSeverityLevel: 3 })
    } catch (error) {
      throw new UserError(`${folder.model} cannot be opened: ${(error as Error).message.split('\n')[0]}`)
    }
    const encoder = new Encoder(ort, session, folder)
    const dimension = (await encoder.vector('a')).length
    if (folder.dimension !== null && folder.dimension !== dimension) {
      throw new UserError(
        `${path}: its pooling says ${folder.dimension} numbers a vector, and its graph gives ${dimension}: files of two encoders are mixed`,
      )
    }
    return { encoder, dimension }
  }

  /** Of length 1. @throws UserError where the graph fails on it, or its answer has no direction */
  async vector(text: string): Promise<Float32Array> {
    const ids = this.tokenizer.encode(text)
    const feeds = Object.fromEntries(
      this.inputs.map(({ name, type }) => [name, this.integers(type, INPUTS[name](ids))]),
    )
    let found: Tensor
    try {
      found = (await this.session.run(feeds, [this.output]))[this.output]
    } catch (error) {
      throw new UserError(
        `the encoder fails on a text of ${ids.length} tokens: ${(error as Error).message.split('\n')[0]}`,
      )
    }
    const { dims, data } = found
    const width = dims[dims.length - 1]
    const rows = dims.length === 3 ? ids.length : 1
    if (!(data instanceof Float32Array) || dims.length < 2 || dims.length > 3 || data.length !== rows * width) {
      throw new UserError(
        `the encoder answers ${this.output} as ${found.type} [${dims.join(', ')}], not as float32 [1, ${ids.length}, width] or [1, width]`,
      )
    }
    const vector = pooled(data, width, dims.length === 3 ? this.pooling : 'cls')
    found.dispose()
    return vector
  }

  async close(): Promise<void> {
    await this.session.release()
  }

  private integers(type: keyof typeof INTEGERS, values: number[]): Tensor {
    const data = type === 'int64' ? BigInt64Array.from(values, BigInt) : Int32Array.from(values)
    return new this.ort.Tensor(type, data as never, [1, values.length])
  }
}
