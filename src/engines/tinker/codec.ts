/** How requests become bytes and bytes replies. JSON is spoken; a server that wants protobuf needs another codec, nothing else. */
export interface Codec {
  /** Media type of what is sent, and of what is asked for. */
  readonly type: string
  encode(body: object): string | Uint8Array<ArrayBuffer>
  /** @throws SyntaxError where the bytes are not of that type */
  decode(bytes: Uint8Array, type: string): unknown
}

export const jsonCodec: Codec = {
  type: 'application/json',
  encode: (body) => JSON.stringify(body),
  decode(bytes, type) {
    if (/protobuf/.test(type)) throw new SyntaxError('protobuf')
    return bytes.length === 0 ? null : JSON.parse(new TextDecoder().decode(bytes))
  },
}

/** A number with the nine digits that tell single-precision floats apart: half as long as JSON would write it. */
export function short(value: number): number {
  return Number(value.toPrecision(9))
}
