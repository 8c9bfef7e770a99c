import type { ToolCall } from '../../core/index.ts'

/** What the server for tests does with one request. */
export type Reply =
  /** A good answer, in many small pieces. */
  | ({ kind: 'answer' } & Answer)
  /** The same as one JSON object. */
  | ({ kind: 'whole' } & Answer)
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  /** Takes the request and never says a word. */
  | { kind: 'silent' }
  /** Begins an answer and falls silent. */
  | { kind: 'stalled'; text: string }
  /** Answers to the end and keeps the connection open. */
  | { kind: 'lingering'; text: string }
  /** Ends the stream in good order, in the middle of the answer. */
  | { kind: 'cutOff'; text: string }
  /** Loses the connection in the middle of the answer. */
  | { kind: 'broken'; text: string }
  /** Loses the connection before a word. */
  | { kind: 'dropped' }
  /** An error inside an answer that had begun. */
  | { kind: 'told'; error: unknown }
  /** Any bytes, as a good response. */
  | { kind: 'raw'; type: string; body: string }

export interface Answer {
  text?: string
  /** Under which name, old or new, thoughts are sent. */
  reasoning?: { reasoning_content: string } | { reasoning: string }
  calls?: readonly ToolCall[]
  finish?: string
  /** Null = not counted. */
  usage?: { prompt_tokens: number; completion_tokens: number; prompt_tokens_details?: object } | null
  /** Before the first byte. */
  waitMs?: number
  /** Between pieces. */
  pauseMs?: number
}

export const answer = (text: string, more: Answer = {}): Reply => ({ kind: 'answer', text, ...more })

/** One after the other; the last one again and again. */
export const inTurn =
  (...replies: Reply[]) =>
  (_: unknown, index: number): Reply =>
    replies[Math.min(index, replies.length - 1)]

const CHARACTERS = 5

function split(text: string): string[] {
  return text.match(new RegExp(`.{1,${CHARACTERS}}`, 'gsu')) ?? []
}

function finishOf({ finish, calls = [] }: Answer): string {
  return finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
}

function usageOf({ usage, text = '' }: Answer): object | null {
  return usage === undefined ? { prompt_tokens: 10, completion_tokens: text.length } : usage
}

const choice = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
})

/** The objects of a stream, up to the finish reason. */
export function chunksOf(reply: Answer): object[] {
  const { text = '', reasoning, calls = [] } = reply
  return [
    choice({ role: 'assistant', content: '' }),
    ...(reasoning
      ? Object.entries(reasoning).flatMap(([name, words]) => split(words).map((part) => choice({ [name]: part })))
      : []),
    ...split(text).map((content) => choice({ content })),
    ...calls.flatMap(({ id, name, arguments: written }, index) => [
      choice({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...split(written).map((part) => choice({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
  ]
}

/** What ends a stream: the finish reason, and the counts where they are wanted. */
export function endOf(reply: Answer): object[] {
  const usage = usageOf(reply)
  return [choice({}, finishOf(reply)), ...(usage ? [{ choices: [], usage }] : [])]
}

export function wholeOf(reply: Answer): object {
  const { text = '', reasoning, calls = [] } = reply
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...reasoning,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: written }) => ({
        id,
        type: 'function',
        function: { name, arguments: written },
      })),
    }),
  }
  return { choices: [{ index: 0, message, finish_reason: finishOf(reply) }], usage: usageOf(reply) }
}
