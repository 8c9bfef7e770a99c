import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { readJson } from '../store/index.ts'
import { type ChatTemplate, loadChatTemplate, type Message, type RenderOptions } from './template.ts'
import { timed } from './timed.ts'
import { loadTokenizer, type Tokenizer } from './tokenizer.ts'

/** Stands for a reply while the template is probed; letters only, so that no template trims or escapes it. */
const SENTINEL = 'sentinelreply'

/** Rendering three messages takes milliseconds; in seconds. */
const LONGEST_PROBE = 30
const ENDLESS = `chat template does not end within ${LONGEST_PROBE} s`
const REMEDY = 'take tokenizer and template from the model that the weights are of'

/** How one model reads and writes conversations: its tokenizer, its template, and how an assistant turn ends. */
export class ChatFormat {
  readonly tokenizer: Tokenizer
  readonly template: ChatTemplate
  /** Token ids that close an assistant turn, as the template writes them. */
  readonly turnEnd: readonly number[]
  /** Stop sequences for sampling: the end of a turn, and the end-of-text token where it is another one. */
  readonly stop: number[][]
  private readonly rendering: Pick<RenderOptions, 'enableThinking'>

  constructor(tokenizer: Tokenizer, template: ChatTemplate, rendering: Pick<RenderOptions, 'enableThinking'> = {}) {
    this.tokenizer = tokenizer
    this.template = template
    this.rendering = rendering
    // A template is a program that came with the model.
    this.turnEnd = timed(() => findTurnEnd(tokenizer, template), LONGEST_PROBE, `${ENDLESS}: ${REMEDY}`)
    this.stop = [[...this.turnEnd]]
    const eos = tokenizer.eosToken === null ? null : tokenizer.tokenId(tokenizer.eosToken)
    if (eos !== null && !(this.turnEnd.length === 1 && this.turnEnd[0] === eos)) this.stop.push([eos])
  }

  /** Text of the prompt whose answer is an assistant turn. */
  promptText(messages: readonly Message[], options: Omit<RenderOptions, 'addGenerationPrompt'> = {}): string {
    return this.template.render(messages, { ...this.rendering, ...options, addGenerationPrompt: true })
  }

  /** The sampled tokens as message content: decoded, without the stop sequence at the end. */
  replyText(tokens: readonly number[]): string {
    const stop = this.stop.find(
      (sequence) =>
        sequence.length <= tokens.length &&
        sequence.every((id, index) => tokens[tokens.length - sequence.length + index] === id),
    )
    return this.tokenizer.decode(stop ? tokens.slice(0, -stop.length) : tokens)
  }

  /** A given reply as the tokens that a model would have sampled: its text and the end of the turn. */
  replyTokens(content: string): number[] {
    return [...this.tokenizer.encode(content), ...this.turnEnd]
  }
}

const modelSchema = z.looseObject({ vocab_size: z.int() })

/** Control tokens as most templates write them. */
const CONTROL_TOKEN = /<\|[^|<>\s]+\|>/g

/**
 * Tokenizer and template of a model folder.
 * @throws UserError where they do not fit each other or the model's `config.json`: what the model would read is not what it
 * was trained on, and nothing else would say so.
 */
export function loadChatFormat(folder: string, rendering: Pick<RenderOptions, 'enableThinking'> = {}): ChatFormat {
  const tokenizer = loadTokenizer(folder)
  const format = new ChatFormat(tokenizer, loadChatTemplate(folder), rendering)
  checkTemplate(format, folder)
  const path = join(folder, 'config.json')
  checkTokenizer(tokenizer, existsSync(path) ? readJson(path, modelSchema).vocab_size : null, folder)
  return format
}

/** @throws UserError where a tokenizer lacks its own special tokens, or has more tokens than its model has `rows` for. */
export function checkTokenizer(tokenizer: Tokenizer, rows: number | null, source: string): void {
  for (const [name, token] of [
    ['bos_token', tokenizer.bosToken],
    ['eos_token', tokenizer.eosToken],
  ]) {
    if (token && tokenizer.tokenId(token) === null) {
      throw new UserError(`${source}: the ${name} ${JSON.stringify(token)} is not in its vocabulary: ${REMEDY}`)
    }
  }
  if (rows !== null && tokenizer.vocabularySize > rows) {
    throw new UserError(
      `${source}: its tokenizer has token ids up to ${tokenizer.vocabularySize - 1}, its model only ${rows} of them: ${REMEDY}`,
    )
  }
}

/** @throws UserError where the template writes a control token that the tokenizer does not know. */
export function checkTemplate({ tokenizer, template }: ChatFormat, source: string): void {
  const unknown = template
    .render([{ role: 'user', content: 'question' }], { addGenerationPrompt: true })
    .match(CONTROL_TOKEN)
    ?.find((token) => tokenizer.tokenId(token) === null)
  if (unknown) {
    throw new UserError(`${source}: its chat template writes ${unknown}, which its tokenizer does not know: ${REMEDY}`)
  }
}

/** What the template writes after a reply, cut after its first added token (`<|im_end|>` of `<|im_end|>\n`). */
function findTurnEnd(tokenizer: Tokenizer, template: ChatTemplate): number[] {
  const answered: Message[] = [
    { role: 'user', content: 'question' },
    { role: 'assistant', content: SENTINEL },
  ]
  const last = afterReply(template, answered)
  const followed = afterReply(template, [...answered, { role: 'user', content: 'question' }])
  let common = 0
  while (common < last.length && common < followed.length && last[common] === followed[common]) common++
  const ids = tokenizer.encode(common > 0 ? last.slice(0, common) : last)
  const firstAdded = ids.findIndex((id) => tokenizer.isAdded(id))
  if (firstAdded >= 0) return ids.slice(0, firstAdded + 1)
  if (ids.length > 0) return ids
  const eos = tokenizer.eosToken === null ? null : tokenizer.tokenId(tokenizer.eosToken)
  if (eos === null) {
    throw new UserError(
      'chat template writes nothing after a reply and there is no eos_token: name one in tokenizer_config.json',
    )
  }
  return [eos]
}

function afterReply(template: ChatTemplate, messages: readonly Message[]): string {
  const text = template.render(messages, { addGenerationPrompt: false })
  const at = text.lastIndexOf(SENTINEL)
  if (at < 0)
    throw new UserError('chat template leaves the assistant reply out: a conversation cannot be rendered with it')
  return text.slice(at + SENTINEL.length)
}
