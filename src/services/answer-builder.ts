import { plainIssue, type ToolCall, withoutSecrets } from '../core/index.ts'
import type { ChatUsage } from './chat.ts'
import { type CallPart, type Pieces, piecesSchema } from './wire.ts'

/** An answer that cannot be one: `what` says why, as a predicate. */
export class BadAnswer extends Error {
  readonly kind: 'malformed' | 'cutOff'
  constructor(kind: 'malformed' | 'cutOff', what: string) {
    super(what)
    this.kind = kind
  }
}

/** An answer as it was received. */
export interface Heard {
  text: string
  reasoning: string
  toolCalls: ToolCall[]
  finishReason: string
  /** Null where the service does not count. */
  usage: ChatUsage | null
}

/** All that the model wrote, whatever it is for. */
export function charactersOf({ text, reasoning, toolCalls }: Pick<Heard, 'text' | 'reasoning' | 'toolCalls'>): number {
  return toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, text.length + reasoning.length)
}

interface OpenCall extends ToolCall {
  index: number | null
}

/** Puts an answer together from the pieces of a stream, or from one piece that is the whole. */
export class AnswerBuilder {
  private text = ''
  private reasoning = ''
  private finishReason = ''
  private usage: ChatUsage | null = null
  private readonly calls: OpenCall[] = []

  /** How much of the answer is there, in characters. */
  get received(): number {
    return charactersOf({ text: this.text, reasoning: this.reasoning, toolCalls: this.calls })
  }

  /** Whether the end has come; token counts may still follow. */
  get ended(): boolean {
    return this.finishReason !== ''
  }

  /** @throws BadAnswer */
  add(value: unknown): void {
    const checked = piecesSchema.safeParse(value)
    if (!checked.success) {
      throw new BadAnswer('malformed', `sent what is no answer (${plainIssue(checked.error.issues[0], 'the answer')})`)
    }
    const { choices, usage } = checked.data
    if (usage) this.usage = readUsage(usage)
    // The last chunk of a stream has the counts and no choice.
    if (choices.length === 0) return
    const [{ delta, message, finish_reason }] = choices
    const part = delta ?? message
    this.text += part?.content ?? ''
    this.reasoning += part?.reasoning_content ?? part?.reasoning ?? ''
    for (const call of part?.tool_calls ?? []) this.addCall(call)
    if (finish_reason) this.finishReason = finish_reason
  }

  /** It is going to be stored: a server that writes the key it was sent into its answer must not bring it there. @throws BadAnswer if the end has not come */
  finish(): Heard {
    const [text, reasoning, finishReason] = [this.text, this.reasoning, this.finishReason].map(withoutSecrets)
    if (!this.ended) throw new BadAnswer('cutOff', 'cut its answer off')
    const toolCalls = this.calls.map(({ id, name, arguments: written }, i) => {
      if (name === '') throw new BadAnswer('malformed', 'sent a tool call without a name')
      const [named, called, given] = [id || `call-${i}`, name, written].map(withoutSecrets)
      return { id: named, name: called, arguments: given }
    })
    return { text, reasoning, toolCalls, finishReason, usage: this.usage }
  }

  /**
   * Pieces of one call share an index. Services differ in the rest: some give every call index 0 or none at all, some repeat
   * the name, some give each piece another id. So a call begins where a name comes that cannot belong to the call before.
   */
  private addCall({ index = null, id, function: called }: CallPart): void {
    const name = called?.name ?? ''
    const open = index === null ? this.calls.at(-1) : this.calls.findLast((call) => call.index === index)
    const another = name !== '' && (index === null || (open && id && open.id !== '' && open.id !== id))
    if (open && !another) {
      open.id ||= id ?? ''
      open.name ||= name
      open.arguments += called?.arguments ?? ''
    } else this.calls.push({ index, id: id ?? '', name, arguments: called?.arguments ?? '' })
  }
}

function readUsage(usage: NonNullable<Pieces['usage']>): ChatUsage | null {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage
  if (prompt_tokens == null || completion_tokens == null) return null
  const cached = prompt_tokens_details?.cached_tokens ?? 0
  return {
    inputTokens: prompt_tokens,
    cachedInputTokens: Math.min(cached, prompt_tokens),
    outputTokens: completion_tokens,
  }
}
