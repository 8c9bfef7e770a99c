/**
 * Results of passes, and samples, in protobuf: as the protocol's public SDK reads them since 0.25. Values come out in the shape that
 * JSON has, so that one schema checks both. Field numbers are the SDK's.
 */
import { MessageReader } from '../protobuf.ts'
import type { Result } from './codec.ts'

/** Media type. */
export const PROTOBUF = 'application/x-protobuf'

/** A tensor's type, by its number. */
export const FLOAT32 = 1
export const INT64 = 2
const INT32 = 3
const BFLOAT16 = 4

const BYTES: Record<number, number> = { [FLOAT32]: 4, [INT64]: 8, [INT32]: 4, [BFLOAT16]: 2 }

/** @throws SyntaxError where the bytes are none */
export function readResult(bytes: Uint8Array, result: Result): unknown {
  const message = new MessageReader(bytes)
  return result === 'pass' ? readPass(message) : readSamples(message)
}

/** Values of one name for all data of a record, one behind the other. */
interface Column {
  name: string
  rows: OpenNumbers[]
}

/** NaN is null, as in JSON. */
type OpenNumbers = (number | null)[]

function readPass(message: MessageReader): unknown {
  const outputs = message.messages(2).flatMap((record) => {
    const columns = record.messages(2).map((entry): Column => {
      const [tensor] = entry.messages(2)
      return { name: entry.string(1), rows: tensor ? rowsOf(tensor) : [] }
    })
    const count = record.integer(3) || (columns[0]?.rows.length ?? 0)
    const unlike = columns.find(({ rows }) => rows.length !== count)
    if (unlike) throw new SyntaxError(`has ${unlike.rows.length} rows of ${unlike.name} for ${count} data`)
    return Array.from({ length: count }, (_, i) =>
      Object.fromEntries(columns.map(({ name, rows }) => [name, { data: rows[i] }])),
    )
  })
  return { loss_fn_outputs: outputs }
}

/** The rows of a batch: `offsets` are where they begin and end, in bytes. */
function rowsOf(tensor: MessageReader): OpenNumbers[] {
  const data = tensor.bytes(1) ?? new Uint8Array()
  const type = tensor.integer(3)
  const ends = numbersOf(tensor.bytes(2), INT64)
  return ends.slice(1).map((end, i) => {
    const begin = ends[i]
    if (begin === null || end === null || begin < 0 || end < begin || end > data.length) {
      throw new SyntaxError(`has a row from ${begin} to ${end} in ${data.length} bytes`)
    }
    return numbersOf(data.subarray(begin, end), type)
  })
}

function readSamples(message: MessageReader): unknown {
  const prompt = message.bytes(2)
  return {
    sequences: message.messages(1).map((sequence) => ({
      stop_reason: ['stop', 'length'][sequence.integer(1)],
      tokens: numbersOf(sequence.bytes(2), INT32),
      logprobs: numbersOf(sequence.bytes(3), FLOAT32),
    })),
    prompt_logprobs: prompt && numbersOf(prompt, FLOAT32),
  }
}

/** @throws SyntaxError where the bytes are not so many numbers of the type */
function numbersOf(bytes: Uint8Array | null, type: number): OpenNumbers {
  if (bytes === null) return []
  const size = BYTES[type]
  if (size === undefined) throw new SyntaxError(`has numbers of type ${type}`)
  if (bytes.length % size !== 0) throw new SyntaxError(`has ${bytes.length} bytes of numbers of ${size}`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Array.from({ length: bytes.length / size }, (_, i) => {
    const at = i * size
    if (type === INT64) return Number(view.getBigInt64(at, true))
    if (type === INT32) return view.getInt32(at, true)
    const value = type === FLOAT32 ? view.getFloat32(at, true) : bfloat16(view.getUint16(at, true))
    return Number.isNaN(value) ? null : value
  })
}

const scratch = new DataView(new ArrayBuffer(4))

/** The upper half of a single-precision float. */
function bfloat16(bits: number): number {
  scratch.setUint32(0, bits * 2 ** 16)
  return scratch.getFloat32(0)
}
