import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Template } from '@huggingface/jinja'
import { z } from 'zod'
import { UserError } from '../core/index.ts'
import { readJson } from '../store/index.ts'

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
}

export interface RenderOptions {
  /** End with the words that open an assistant turn, so that the model writes one. */
  addGenerationPrompt: boolean
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

/** Turns messages into the text a model was trained on: the model's own Jinja template. */
export class ChatTemplate {
  private readonly template: Template
  private readonly variables: Record<string, unknown>

  /** `variables` are what templates read besides messages, e.g. `bos_token` and `eos_token`. */
  constructor(source: string, variables: Record<string, unknown> = {}) {
    try {
      this.template = new Template(source.replaceAll('strftime_now', 'fixed_date'))
    } catch (error) {
      throw new UserError(`chat template cannot be parsed: ${(error as Error).message}`)
    }
    this.variables = { ...variables, fixed_date: fixedDate }
  }

  /** A role or an order that the template refuses is a `UserError` with the template's own words. */
  render(messages: readonly Message[], options: RenderOptions): string {
    try {
      return this.template.render({
        ...this.variables,
        messages,
        add_generation_prompt: options.addGenerationPrompt,
      })
    } catch (error) {
      throw new UserError(
        `chat template refused ${messages.map((message) => message.role).join(', ')}: ${(error as Error).message}`,
      )
    }
  }
}

const namedTemplate = z.object({ name: z.string(), template: z.string() })

const configSchema = z.looseObject({
  chat_template: z.union([z.string(), z.array(namedTemplate)]).nullish(),
  bos_token: z.union([z.string(), z.object({ content: z.string() })]).nullish(),
  eos_token: z.union([z.string(), z.object({ content: z.string() })]).nullish(),
})

function tokenText(token: string | { content: string } | null | undefined): string {
  if (token === null || token === undefined) return ''
  return typeof token === 'string' ? token : token.content
}

/** The template of a model folder: `chat_template.jinja`, or `chat_template` in `tokenizer_config.json`. */
export function loadChatTemplate(folder: string): ChatTemplate {
  const path = join(folder, 'tokenizer_config.json')
  const { chat_template: inline, bos_token, eos_token } = readJson(path, configSchema)
  const file = join(folder, 'chat_template.jinja')
  let source: string | undefined
  if (existsSync(file)) source = readFileSync(file, 'utf8')
  else if (typeof inline === 'string') source = inline
  else source = inline?.find((entry) => entry.name === 'default')?.template
  if (source === undefined) {
    throw new UserError(`${folder} has no chat template: add chat_template.jinja, or use an instruction-tuned model`)
  }
  return new ChatTemplate(source, { bos_token: tokenText(bos_token), eos_token: tokenText(eos_token) })
}
