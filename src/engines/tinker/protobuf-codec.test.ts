import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refereeAnswer, refereeHas } from '../../core/testing/python.ts'
import { MessageWriter } from '../protobuf.ts'
import type { Result } from './codec.ts'
import { protobufCodec } from './protobuf-codec.ts'
import { PROTOBUF, readResult } from './protobuf-results.ts'
import type { WirePass } from './wire.ts'

interface Reference {
  passes: { model_id: string; seq_id: number; pass: WirePass; forwardOnly: boolean; bytes: string }[]
  results: { result: Result; bytes: string; value: object }[]
}

/** Made by `npm run referees -- --write`: what the protocol's public SDK for Python sends and reads. */
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'testing', 'wire.reference.json'), 'utf8'))

const bytesOf = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'))

function compare({ passes, results }: Reference): void {
  for (const { model_id, seq_id, pass, forwardOnly, bytes } of passes) {
    const path = forwardOnly ? 'forward' : 'forward_backward'
    const sent = protobufCodec.encode(path, { model_id, seq_id, [`${path}_input`]: pass })
    expect({ ...sent, bytes: Buffer.from(sent.bytes).toString('base64') }).toEqual({
      path: 'forward_backward',
      type: PROTOBUF,
      bytes,
    })
  }
  for (const { result, bytes, value } of results) {
    expect(readResult(bytesOf(bytes), result)).toEqual(value)
  }
}

describe('protobuf', () => {
  it('is what the public SDK sends and reads, to the byte', () => {
    compare(recorded)
  })

  it.skipIf(!refereeHas('tinker'))(
    'is what the SDK sends and reads, asked anew',
    async () => compare((await refereeAnswer('tinker_wire.py')) as Reference),
    300_000,
  )

  it('leaves all else to JSON', () => {
    const body = { model_id: 'model_1' }
    expect(protobufCodec.encode('optim_step', body)).toEqual({
      path: 'optim_step',
      type: 'application/json',
      bytes: JSON.stringify(body),
    })
    expect([protobufCodec.accepts('samples'), protobufCodec.accepts(undefined)]).toEqual([PROTOBUF, 'application/json'])
  })

  it('that is cut off or changed anywhere is refused or read, and nothing worse', () => {
    const outcomes = new Set<string>()
    for (const { bytes: base64, result } of (recorded as Reference).results) {
      const whole = bytesOf(base64)
      for (let at = 0; at < whole.length; at++) {
        for (const bytes of [whole.slice(0, at), whole.with(at, whole[at] ^ 0xff), whole.with(at, 0x80)]) {
          try {
            readResult(bytes, result)
            outcomes.add('read')
          } catch (error) {
            if (!(error instanceof SyntaxError)) throw error
            outcomes.add(error.message.replace(/-?\d+(e[+-]\d+)?/g, 'N').replace(/\p{L}*probs/u, 'NAME'))
          }
        }
      }
    }
    expect(outcomes).toContain('read')
    expect(outcomes).toContain('ends within a field')
    expect(outcomes).toContain('has a row from N to N in N bytes')
  })

  it('with numbers of unknown or broken kinds is refused', () => {
    const pass = (data: Uint8Array, type: number, ends: bigint[], count: number) => {
      const tensor = new MessageWriter()
        .bytes(1, data)
        .bytes(2, new Uint8Array(BigInt64Array.from(ends).buffer))
        .integer(3, type)
      const record = new MessageWriter().message(2, new MessageWriter().string(1, 'logprobs').message(2, tensor))
      return new MessageWriter().message(2, record.integer(3, count)).finish()
    }
    const read = (bytes: Uint8Array) => () => readResult(bytes, 'pass')
    expect(read(pass(new Uint8Array(8), 1, [0n, 8n], 1))()).toEqual({
      loss_fn_outputs: [{ logprobs: { data: [0, 0] } }],
    })
    expect(read(pass(new Uint8Array(8), 9, [0n, 8n], 1))).toThrow('has numbers of type 9')
    expect(read(pass(new Uint8Array(8), 1, [0n, 7n], 1))).toThrow('has 7 bytes of numbers of 4')
    expect(read(pass(new Uint8Array(8), 1, [0n, 8n], 2))).toThrow('has 1 rows of logprobs for 2 data')
    expect(read(pass(new Uint8Array(8), 1, [8n, 0n], 1))).toThrow('has a row from 8 to 0 in 8 bytes')
    expect(read(pass(new Uint8Array(8), 1, [0n, 2n ** 60n], 1))).toThrow(/has a row from 0 to 115\d+ in 8 bytes/)
  })
})
