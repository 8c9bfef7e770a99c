import { z } from 'zod'
import type { Action, Tool, ToolCall } from '../core/index.ts'
import type { ParsedAction } from './agent.ts'
import { parsePolicyAnswer } from './answers.ts'
import { allEnclosed } from './enclosed.ts'

/** Tools and calls as text, so that any chat template carries them. The form is the one that many open models were trained on. */

const [THOUGHT_BEGIN, THOUGHT_END] = ['<think>', '</think>']

/** As it was written: a schema of fields would leave some out (`__proto__`). */
const object = z.custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))

const callSchema = z.object({
  name: z.string().min(1),
  arguments: z.union([z.string(), object]).default({}),
})

/** One tool a line, as JSON. */
export function toolsText(tools: readonly Tool[]): string {
  return tools.map((tool) => JSON.stringify(tool)).join('\n')
}

/** How an agent is told of its tools, and calls them: in words of ours, or as its model's own template has it. */
export type ToolForm = 'text' | 'template'

/** Tools as chat templates want them: OpenAI's form. */
export function toolDefinitions(tools: readonly Tool[]): object[] {
  return tools.map(({ name, description = '', parameters = { type: 'object', properties: {} } }) => ({
    type: 'function',
    function: { name, description, parameters },
  }))
}

/** What an agent is told of its tools and of how to answer. */
export function toolInstructions(tools: readonly Tool[]): string {
  return [
    `You can call these tools:\n${toolsText(tools)}`,
    'Reason step by step inside <thinking> </thinking>. Then either write a message to the user, or call tools, each as <tool_call>{"name": …, "arguments": {…}}</tool_call>.',
  ].join('\n\n')
}

/** A reply as a message or as calls; a call that cannot be read makes the whole reply no action. */
export function parseToolReply(reply: string): ParsedAction {
  const { thinking, action: written } = parsePolicyAnswer(reply)
  const action = written === null ? null : toolAction(written)
  return { thinking, action, wellFormed: thinking !== null && action !== null }
}

/** A message or calls as `parseToolReply` reads them; `before` stands at the beginning. */
export function toolReply(action: Action, before: string): string {
  const calls = action.kind === 'tools' ? action.calls.map(callText) : []
  return [before, action.text ?? '', ...calls].filter((part) => part !== '').join('\n')
}

function callText({ name, arguments: written }: ToolCall): string {
  let given: unknown = written
  try {
    const read: unknown = JSON.parse(written)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) given = read
  } catch {}
  // Nothing inside a call may look like its end, or like thoughts.
  const json = JSON.stringify({ name, arguments: given }).replaceAll(/<(?=\/?(?:tool_call|thinking)>)/g, '\\u003c')
  return `<tool_call>${json}</tool_call>`
}

/** With its reasoning before it, as the agent is told to answer. */
export const thoughtOut = (action: Action, thinking = ' '): string =>
  toolReply(action, `<thinking>${thinking}</thinking>`)

/** A message or calls as `parseNativeReply` reads them. */
export const nativeReply = (action: Action, thinking?: string): string =>
  toolReply(action, thinking === undefined ? '' : `${THOUGHT_BEGIN}\n${thinking}\n${THOUGHT_END}\n`)

/**
 * A reply in the form of the model's template: calls inside `<tool_call>`, after thoughts that may have begun in the prompt.
 * Thoughts that do not end leave no action.
 */
export function parseNativeReply(reply: string): ParsedAction {
  const end = reply.indexOf(THOUGHT_END)
  const begins = reply.trimStart().startsWith(THOUGHT_BEGIN)
  const thinking = end < 0 ? null : reply.slice(0, end).replace(THOUGHT_BEGIN, '').trim()
  const written = end < 0 ? (begins ? '' : reply.trim()) : reply.slice(end + THOUGHT_END.length).trim()
  const action = written === '' ? null : toolAction(written)
  return { thinking, action, wellFormed: action !== null }
}

function toolAction(written: string): Action | null {
  const { inside, around } = allEnclosed(written, 'tool_call')
  const text = around.trim()
  if (/<\/?tool_call>/.test(text)) return null
  const calls: ToolCall[] = []
  for (const [index, json] of inside.entries()) {
    const call = readCall(json)
    if (!call) return null
    const { name, arguments: given } = call
    calls.push({ id: `call-${index}`, name, arguments: typeof given === 'string' ? given : JSON.stringify(given) })
  }
  if (calls.length === 0) return { kind: 'text', text: written }
  return { kind: 'tools', calls, ...(text === '' ? {} : { text }) }
}

function readCall(json: string): z.output<typeof callSchema> | null {
  try {
    return callSchema.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
