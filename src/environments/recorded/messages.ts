import { z } from 'zod'
import type { Tool } from '../../core/index.ts'

/** A message of OpenAI's chat format, with content as plain text. */
export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; tool_calls?: ChatToolCall[] }
  | { role: 'tool'; content: string; tool_call_id: string; error?: boolean }

export interface ChatToolCall {
  id: string
  type: 'function'
  /** `arguments` is JSON text. */
  function: { name: string; arguments: string }
}

/** A message as logs hold it: ids may be missing, content may come in parts, the older `function` form is read too. */
export type LoggedMessage = z.output<typeof messageSchema>

const TEXT = 'expected text, or a list of {"type": "text", "text": …}'
const part = z.object({ type: z.enum(['text', 'input_text', 'output_text']), text: z.string() }, TEXT)
const text = z
  .union([z.string(), z.array(part)], TEXT)
  .nullish()
  .transform((content) => (typeof content === 'string' ? content : (content ?? []).map((one) => one.text).join('\n')))

const called = z.object({
  name: z.string().min(1),
  arguments: z
    .union([z.string(), z.record(z.string(), z.unknown())], 'expected JSON text')
    .nullish()
    .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value ?? {}))),
})
const flag = z.boolean().nullish()

const system = { content: text }
const result = {
  content: text,
  tool_call_id: z.string().nullish(),
  name: z.string().nullish(),
  error: flag,
  is_error: flag,
}

const messageSchema = z.discriminatedUnion(
  'role',
  [
    z.object({ role: z.literal('system'), ...system }),
    z.object({ role: z.literal('developer'), ...system }),
    z.object({ role: z.literal('user'), content: text }),
    z.object({
      role: z.literal('assistant'),
      content: text,
      tool_calls: z.array(z.object({ id: z.string().nullish(), function: called })).nullish(),
      function_call: called.nullish(),
    }),
    z.object({ role: z.literal('tool'), ...result }),
    z.object({ role: z.literal('function'), ...result }),
  ],
  'expected "system", "user", "assistant" or "tool"',
)

const described = z.object({
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: z.unknown().optional(),
  /** Another name for `parameters`, in use elsewhere. */
  input_schema: z.unknown().optional(),
})
const tool = z
  .union([z.object({ function: described }).transform((one) => one.function), described], {
    error: 'expected {"type": "function", "function": {"name": …}}',
  })
  .transform(
    ({ name, description, parameters = undefined, input_schema }): Tool => ({
      name,
      ...(description ? { description } : {}),
      ...((parameters ?? input_schema) ? { parameters: parameters ?? input_schema } : {}),
    }),
  )

const name = z.union([z.string().min(1), z.number()], 'expected text').transform(String)

/** Names of splits in use, and what they are here: `unseen` is held out. */
const SPLITS: Record<string, string> = {
  train: 'train',
  seen: 'seen',
  unseen: 'unseen',
  test: 'unseen',
  validation: 'unseen',
  valid: 'unseen',
  dev: 'unseen',
  eval: 'unseen',
}

/** One conversation of a log file. Fields that are not named here are ignored. */
export const entrySchema = z.object(
  {
    messages: z.array(messageSchema, 'expected a list of messages').min(1, 'no message in it'),
    tools: z.array(tool).nullish(),
    reward: z.number().nullish(),
    task: name.nullish(),
    id: name.nullish(),
    split: z
      .string()
      .nullish()
      .transform((split, context) => {
        if (split === undefined || split === null) return null
        const known = Object.hasOwn(SPLITS, split) ? SPLITS[split] : null
        if (known === null) context.addIssue(`"${split}" is no split; there are ${Object.keys(SPLITS).join(', ')}`)
        return known
      }),
  },
  'expected {"messages": […]} or a list of messages',
)

export type LogEntry = z.output<typeof entrySchema>
