/**
 * Requests as the protocol's public SDK sends them since 0.25: passes in protobuf, all else in JSON. Field numbers are the SDK's.
 */
import { MessageWriter } from '../protobuf.ts'
import { type Codec, jsonCodec } from './codec.ts'
import { FLOAT32, INT64, PROTOBUF } from './protobuf-results.ts'
import type { WireDatum, WirePass, WireTensor } from './wire.ts'

export const protobufCodec: Codec = {
  name: 'protobuf',
  accepts: (result) => (result === undefined ? jsonCodec.accepts(result) : PROTOBUF),
  encode(path, body) {
    if (path !== 'forward' && path !== 'forward_backward') return jsonCodec.encode(path, body)
    // A pass without a gradient has no address of its own here.
    return { path: 'forward_backward', type: PROTOBUF, bytes: writePass(body as PassBody, path === 'forward') }
  },
}

type PassBody = { model_id: string; seq_id: number } & Record<'forward_input' | 'forward_backward_input', WirePass>

function writePass(body: PassBody, forwardOnly: boolean): Uint8Array<ArrayBuffer> {
  const { data, loss_fn, loss_fn_config } = forwardOnly ? body.forward_input : body.forward_backward_input
  const message = new MessageWriter().string(1, body.model_id).integer(2, body.seq_id)
  for (const datum of data) message.message(3, writeDatum(datum))
  message.string(4, loss_fn)
  for (const [name, value] of Object.entries(loss_fn_config ?? {})) {
    message.message(5, new MessageWriter().string(1, name).double(2, value))
  }
  if (forwardOnly) message.integer(6, 1)
  return message.finish()
}

function writeDatum({ model_input, loss_fn_inputs }: WireDatum): MessageWriter {
  const message = new MessageWriter()
  for (const { tokens } of model_input.chunks) {
    message.message(1, new MessageWriter().message(1, new MessageWriter().bytes(1, bytesOf(Int32Array.from(tokens)))))
  }
  for (const [name, tensor] of Object.entries(loss_fn_inputs)) {
    message.message(2, new MessageWriter().string(1, name).message(2, writeTensor(tensor)))
  }
  return message
}

function writeTensor({ data, dtype, shape }: WireTensor): MessageWriter {
  const [values, type] =
    dtype === 'int64' ? [BigInt64Array.from(data, BigInt), INT64] : [Float32Array.from(data), FLOAT32]
  return new MessageWriter().bytes(1, bytesOf(values)).integer(3, type).packedIntegers(4, shape)
}

/** As they lie in memory: little-endian, as the protocol has them, on every processor that Node runs on but s390x. */
function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)
}
