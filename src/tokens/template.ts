import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Template } from '@huggingface/jinja'
import { z } from 'zod'
import { plainIssue, UserError } from '../core/index.ts'
import { readJson } from '../store/index.ts'

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  /** What an assistant calls, in OpenAI's form but with the arguments as an object: that is what templates print. */
  tool_calls?: readonly { type: 'function'; function: { name: string; arguments: Record<string, unknown> } }[]
}

export interface RenderOptions {
  /** End with the words that open an assistant turn, so that the model writes one. */
  addGenerationPrompt: boolean
  /** Descriptions of functions in OpenAI's form (`{type: 'function', function: {name, description, parameters}}`). */
  tools?: readonly object[]
  /** Whether a model that can think before it answers is to do so (Qwen3). Default: as its template has it. */
  enableThinking?: boolean
}

/** Some templates print today's date. A prompt must not change with the clock, so they get this one. */
const FIXED_DATE: Record<string, string> = {
  Y: '2024',
  y: '24',
  m: '07',
  d: '26',
  b: 'Jul',
  B: 'July',
  H: '00',
  M: '00',
  S: '00',
}

function fixedDate(format: string): string {
  return format.replace(/%(.)/g, (directive, letter: string) => FIXED_DATE[letter] ?? directive)
}

/** Templates by their name in a model folder: `default`, and often `tool_use` for prompts with tools. */
export type NamedTemplates = Readonly<Record<string, string>>

/** Turns messages into the text a model was trained on: the model's own Jinja template. */
export class ChatTemplate {
  private readonly plain: Template
  private readonly withTools: Template
  private readonly variables: Record<string, unknown>

  /** `variables` are what templates read besides messages, e.g. `bos_token` and `eos_token`. */
  constructor(source: string | NamedTemplates, variables: Record<string, unknown> = {}) {
    const named: NamedTemplates = typeof source === 'string' ? { default: source } : source
    const plain = named.default ?? named.tool_use
    if (plain === undefined) throw new UserError('chat template: none of them is called "default"')
    this.plain = parsed(plain)
    this.withTools = named.tool_use === undefined ? this.plain : parsed(named.tool_use)
    this.variables = { ...variables, fixed_date: fixedDate }
  }

  /**
   * Whether it shows tools, calls and results, and calls in the one form that is read here: JSON inside `<tool_call>`, as
   * Qwen's and Hermes' have it.
   */
  get takesTools(): boolean {
    const ask: Message = { role: 'user', content: 'question' }
    const call: Message = {
      role: 'assistant',
      content: '',
      tool_calls: [{ type: 'function', function: { name: 'sentinelcall', arguments: {} } }],
    }
    const tools = [
      {
        type: 'function',
        function: { name: 'sentineltool', description: '', parameters: { type: 'object', properties: {} } },
      },
    ]
    try {
      const messages: Message[] = [ask, call, { role: 'tool', content: 'sentinelresult' }]
      const text = this.render(messages, { addGenerationPrompt: true, tools })
      return (
        text.includes('sentineltool') &&
        text.includes('sentinelresult') &&
        /<tool_call>\s*\{"name": "sentinelcall", "arguments": \{\}\}\s*<\/tool_call>/.test(text)
      )
    } catch {
      return false
    }
  }

  /** A role or an order that the template refuses is a `UserError` with the template's own words. */
  render(messages: readonly Message[], { addGenerationPrompt, tools, enableThinking }: RenderOptions): string {
    try {
      return (tools ? this.withTools : this.plain).render({
        ...this.variables,
        messages,
        add_generation_prompt: addGenerationPrompt,
        // Templates ask whether there are tools, and some whether anybody said so: as transformers does.
        tools: tools ?? null,
        documents: null,
        ...(enableThinking === undefined ? {} : { enable_thinking: enableThinking }),
      })
    } catch (error) {
      throw new UserError(
        `chat template refused ${messages.map((message) => message.role).join(', ')}: ${(error as Error).message}`,
      )
    }
  }
}

function parsed(source: string): Template {
  try {
    return new Template(source.replaceAll('strftime_now', 'fixed_date'))
  } catch (error) {
    throw new UserError(`chat template cannot be parsed: ${(error as Error).message}`)
  }
}

const namedTemplate = z.object({ name: z.string(), template: z.string() })

const tokenSchema = z
  .union([z.string(), z.object({ content: z.string() }).transform(({ content }) => content)])
  .nullish()

const configSchema = z.looseObject({
  chat_template: z.union([z.string(), z.array(namedTemplate)]).nullish(),
  bos_token: tokenSchema,
  eos_token: tokenSchema,
  unk_token: tokenSchema,
  pad_token: tokenSchema,
})

/**
 * The templates of a parsed `tokenizer_config.json`, and of `chat_template.jinja` where there is one, which comes first; null:
 * there are none. `source` names them in errors.
 */
export function chatTemplateOf(config: unknown, file: string | undefined, source: string): ChatTemplate | null {
  const checked = configSchema.safeParse(config)
  if (!checked.success) {
    const [issue] = checked.error.issues
    throw new UserError(`${source}: tokenizer_config.json is malformed: ${plainIssue(issue, 'the file')}`)
  }
  const { chat_template: inline, bos_token, eos_token, unk_token, pad_token } = checked.data
  const named = Object.fromEntries((Array.isArray(inline) ? inline : []).map(({ name, template }) => [name, template]))
  if (file !== undefined) named.default = file
  else if (typeof inline === 'string') named.default = inline
  if (Object.keys(named).length === 0) return null
  const token = (content: string | null | undefined) => content ?? ''
  return new ChatTemplate(named, {
    bos_token: token(bos_token),
    eos_token: token(eos_token),
    unk_token: token(unk_token),
    pad_token: token(pad_token),
  })
}

/** The templates of a model folder; null: there are none. */
export function findChatTemplate(folder: string): ChatTemplate | null {
  const file = join(folder, 'chat_template.jinja')
  const template = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  return chatTemplateOf(readJson(join(folder, 'tokenizer_config.json'), z.unknown()), template, folder)
}

/** The same, where there has to be one. */
export function loadChatTemplate(folder: string): ChatTemplate {
  const template = findChatTemplate(folder)
  if (template) return template
  throw new UserError(`${folder} has no chat template: add chat_template.jinja, or use an instruction-tuned model`)
}
