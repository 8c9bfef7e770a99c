/** The other side of `protobufCodec`: passes are read, results written. */
import { MessageReader, MessageWriter } from '../../protobuf.ts'
import type { WireTensor } from '../wire.ts'

/** A pass in the shape that it has in JSON, and the address it has there. */
export function readPass(bytes: Uint8Array): { path: 'forward' | 'forward_backward'; body: Record<string, unknown> } {
  const message = new MessageReader(bytes)
  const path = message.integer(6) === 1 ? 'forward' : 'forward_backward'
  const config = message.messages(5).map((entry) => [entry.string(1), entry.double(2)])
  const pass = {
    data: message.messages(3).map((datum) => ({
      model_input: {
        chunks: datum.messages(1).map((chunk) => ({ type: 'encoded_text', tokens: tokensOf(chunk.messages(1)[0]) })),
      },
      loss_fn_inputs: Object.fromEntries(
        datum.messages(2).map((entry) => [entry.string(1), tensorOf(entry.messages(2)[0])]),
      ),
    })),
    loss_fn: message.string(4),
    ...(config.length > 0 && { loss_fn_config: Object.fromEntries(config) }),
  }
  return { path, body: { model_id: message.string(1), seq_id: message.integer(2), [`${path}_input`]: pass } }
}

function tokensOf(text: MessageReader): number[] {
  return [...new Int32Array(aligned(text.bytes(1)))]
}

function tensorOf(tensor: MessageReader): Omit<WireTensor, 'shape'> {
  const dense = aligned(tensor.bytes(1))
  return tensor.integer(3) === 2
    ? { data: Array.from(new BigInt64Array(dense), Number), dtype: 'int64' }
    : { data: [...new Float32Array(dense)], dtype: 'float32' }
}

function aligned(bytes: Uint8Array | null): ArrayBuffer {
  return Uint8Array.from(bytes ?? []).buffer
}

interface Results {
  loss_fn_outputs?: { logprobs: { data: number[] } }[]
  sequences?: { stop_reason: string; tokens: number[]; logprobs: number[] }[]
  prompt_logprobs?: (number | null)[] | null
}

/** What JSON would hold, in protobuf; null where it is neither the result of a pass nor samples. */
export function writeResult(body: unknown): Uint8Array<ArrayBuffer> | null {
  const { loss_fn_outputs: outputs, sequences, prompt_logprobs: prompt } = (body ?? {}) as Results
  if (outputs) {
    const rows = outputs.map(({ logprobs }) => logprobs.data)
    const ends = [0n]
    for (const row of rows) ends.push(ends[ends.length - 1] + BigInt(4 * row.length))
    const tensor = new MessageWriter()
      .bytes(1, bytesOf(Float32Array.from(rows.flat())))
      .bytes(2, bytesOf(BigInt64Array.from(ends)))
      .integer(3, 1)
    const entry = new MessageWriter().string(1, 'logprobs').message(2, tensor)
    return new MessageWriter().message(2, new MessageWriter().message(2, entry).integer(3, rows.length)).finish()
  }
  if (!sequences) return null
  const message = new MessageWriter()
  for (const { stop_reason: reason, tokens, logprobs } of sequences) {
    const sequence = new MessageWriter()
    // What has its default is left out, as protobuf's libraries do.
    if (reason === 'length') sequence.integer(1, 1)
    if (tokens.length > 0) sequence.bytes(2, bytesOf(Int32Array.from(tokens)))
    message.message(1, sequence.bytes(3, bytesOf(Float32Array.from(logprobs))))
  }
  if (prompt) message.bytes(2, bytesOf(Float32Array.from(prompt, (value) => value ?? Number.NaN)))
  return message.finish()
}

function bytesOf({ buffer }: Float32Array | Int32Array | BigInt64Array): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer)
}
