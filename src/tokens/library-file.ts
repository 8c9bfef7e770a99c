/**
 * Tokenizer files as the library used here has to be given them, so that it means what Hugging Face's own means: where the two
 * differ, text would become other tokens than the model was trained on.
 */
import { byteCharacters } from './byte-level.ts'

/** How GPT-2's tokenizer cuts text into words, which a `ByteLevel` step stands for. */
const WORDS = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

/** Ideographs that BERT sets apart, as far as they take two units of UTF-16: the library sees only halves of them. */
const FAR_IDEOGRAPHS = '([\\u{20000}-\\u{2A6DF}\\u{2A700}-\\u{2B81F}\\u{2B920}-\\u{2CEAF}\\u{2F800}-\\u{2FA1F}])'

interface Step {
  type?: unknown
  individual_digits?: unknown
  use_regex?: unknown
  add_prefix_space?: unknown
  pretokenizers?: unknown
}

interface File {
  normalizer?: unknown
  pre_tokenizer?: unknown
  model?: { type?: unknown; unk_token?: unknown; byte_fallback?: unknown; vocab?: unknown }
}

/** A parsed `tokenizer.json` for the library. What has no such steps, or is malformed, stays as it is. */
export function libraryFile(file: unknown): unknown {
  if (!isObject(file) || !('pre_tokenizer' in file)) return file
  const step = rewritten(file.pre_tokenizer)
  const normalizer = spaced((file as File).normalizer)
  const lost = lostBytes(file)
  if (lost.length === 0) return { ...file, normalizer, pre_tokenizer: step }
  // Bytes that are no tokens are left out before what is around them is merged; the library would leave them out after it.
  const Regex = `[${lost.map((byte) => `\\u${byte.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}]`
  const without = { type: 'Replace', pattern: { Regex }, content: '' }
  return { ...file, normalizer, pre_tokenizer: { type: 'Sequence', pretokenizers: [step, without] } }
}

function spaced(value: unknown): unknown {
  if (!isObject(value)) return value
  const { type, handle_chinese_chars: apart }: { type?: unknown; handle_chinese_chars?: unknown } = value
  if (type !== 'BertNormalizer' || apart === false) return value
  const far = { type: 'Replace', pattern: { Regex: FAR_IDEOGRAPHS }, content: ' $1 ' }
  return { type: 'Sequence', normalizers: [far, value] }
}

function rewritten(value: unknown): unknown {
  if (!isObject(value)) return value
  const step: Step = value
  // The library means by it only 0 to 9, not ½.
  if (step.type === 'Digits') return split(step.individual_digits === true ? '\\p{N}' : '\\p{N}+')
  // Its own pattern takes U+FEFF for a space, and U+0085 for none.
  if (step.type === 'ByteLevel' && step.use_regex !== false && step.add_prefix_space !== true) {
    return { type: 'Sequence', pretokenizers: [split(WORDS), { ...step, use_regex: false }] }
  }
  return Array.isArray(step.pretokenizers) ? { ...step, pretokenizers: step.pretokenizers.map(rewritten) } : step
}

function split(Regex: string): object {
  return { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false }
}

/** Bytes, written as characters, that a byte-level vocabulary without a token for the unknown lacks. */
function lostBytes({ pre_tokenizer, model }: File): string[] {
  if (model?.type !== 'BPE' || model.unk_token || model.byte_fallback || !isObject(model.vocab)) return []
  if (!hasByteLevel(pre_tokenizer)) return []
  const { vocab } = model
  return byteCharacters().filter((byte) => !Object.hasOwn(vocab, byte))
}

function hasByteLevel(value: unknown): boolean {
  if (!isObject(value)) return false
  const { type, pretokenizers }: Step = value
  return type === 'ByteLevel' || (Array.isArray(pretokenizers) && pretokenizers.some(hasByteLevel))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
