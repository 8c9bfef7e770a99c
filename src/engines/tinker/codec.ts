/** How requests become bytes and bytes replies. */

/** Results that some servers send in protobuf. */
export type Result = 'pass' | 'samples'

export interface Encoded {
  path: string
  /** Media type. */
  type: string
  bytes: string | Uint8Array<ArrayBuffer>
}

export interface Codec {
  /** The media type that is asked for. */
  accepts(result: Result | undefined): string
  encode(path: string, body: object): Encoded
  /** @throws SyntaxError where the bytes are not of their type, or that is not spoken */
  decode(bytes: Uint8Array, type: string, result: Result | undefined): unknown
}

const JSON_TYPE = 'application/json'

export const jsonCodec: Codec = {
  accepts: () => JSON_TYPE,
  encode: (path, body) => ({ path, type: JSON_TYPE, bytes: JSON.stringify(body) }),
  decode(bytes, type) {
    if (/protobuf/.test(type)) throw new SyntaxError('protobuf')
    return bytes.length === 0 ? null : JSON.parse(new TextDecoder().decode(bytes))
  },
}

/** A number with the nine digits that tell single-precision floats apart: half as long as JSON would write it. */
export function short(value: number): number {
  return Number(value.toPrecision(9))
}
