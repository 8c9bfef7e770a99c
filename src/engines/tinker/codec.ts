/** How requests become bytes. */

/** Results that some servers send in protobuf. */
export type Result = 'pass' | 'samples'

export interface Encoded {
  path: string
  /** Media type. */
  type: string
  bytes: string | Uint8Array<ArrayBuffer>
}

export interface Codec {
  /** As settings have it. */
  readonly name: 'json' | 'protobuf'
  /** The media type that is asked for. */
  accepts(result: Result | undefined): string
  encode(path: string, body: object): Encoded
}

const JSON_TYPE = 'application/json'

export const jsonCodec: Codec = {
  name: 'json',
  accepts: () => JSON_TYPE,
  encode: (path, body) => ({ path, type: JSON_TYPE, bytes: JSON.stringify(body) }),
}

/** A number with the nine digits that tell single-precision floats apart: half as long as JSON would write it. */
export function short(value: number): number {
  return Number(value.toPrecision(9))
}
