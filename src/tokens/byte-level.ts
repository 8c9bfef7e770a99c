/** Byte-level BPE writes each byte as one printable character: printable Latin-1 as itself, the rest from U+0100 on. */
export function byteCharacters(): string[] {
  const printable = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++))
}

/**
 * `tokenizer.json` of a tokenizer that can write any text: ids 0 to 255 are the bytes, then the added tokens in order,
 * special ones first. Added tokens are matched as they stand, the longest first.
 */
export function byteTokenizerFile(special: string[], phrases: string[] = []): object {
  const vocab = Object.fromEntries(byteCharacters().map((character, byte) => [character, byte]))
  const added = [...special, ...phrases].map((content, index) => ({
    id: 256 + index,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: index < special.length,
  }))
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: { type: 'BPE', dropout: null, unk_token: null, fuse_unk: false, byte_fallback: false, vocab, merges: [] },
  }
}
