import { type Field, type Fields, field, str, type Type } from '../model.ts'
import type { PyValue } from '../python/value.ts'
import { type Tool, type ToolKind, tool } from '../tool.ts'
import type { TelecomState } from './state.ts'
import { AGENT_TEXTS, type ToolText, USER_TEXTS } from './texts.ts'

/** Parameters by name, in order: a type, or a field where there is a default. */
type Parameters = { readonly [name: string]: Type | Field }
type Call = (state: TelecomState, ...values: PyValue[]) => PyValue

export type UserToolName = keyof typeof USER_TEXTS

function withTexts(parameters: Parameters, texts: ToolText['parameters'] = {}): Fields {
  const entries = Object.entries(parameters).map(([name, given]): [string, Field] => {
    const own = 'type' in given ? given : field(given)
    return [name, { ...own, description: texts[name] }]
  })
  return Object.fromEntries(entries)
}

function described(
  name: string,
  text: ToolText,
  kind: ToolKind,
  parameters: Parameters,
  returns: Type,
  call: Call,
): Tool<TelecomState> {
  return tool({
    name,
    kind,
    description: text.description,
    parameters: withTexts(parameters, text.parameters),
    returns: field(returns, text.returns),
    call,
  })
}

/** A tool of the company's agent, with upstream's words. */
export function agentTool(
  name: keyof typeof AGENT_TEXTS,
  kind: ToolKind,
  parameters: Parameters,
  returns: Type,
  call: Call,
): Tool<TelecomState> {
  return described(name, AGENT_TEXTS[name], kind, parameters, returns, call)
}

/** A tool of the user, with upstream's words: each answers in prose. */
export function userTool(
  name: UserToolName,
  kind: ToolKind,
  call: Call,
  parameters: Parameters = {},
): Tool<TelecomState> {
  return described(name, USER_TEXTS[name], kind, parameters, str, call)
}
