import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ChatTemplate, findChatTemplate, loadChatTemplate, type Message } from './template.ts'

/** What templates of models with tools do, in small. */
const TOOLS = `{%- if tools %}{{- 'TOOLS' }}{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}{{- '\\n' }}{%- endif %}
{%- for message in messages %}{{- message.role + ': ' + message.content }}
{%- for call in message.tool_calls or [] %}{{- call.function.name + '(' + (call.function.arguments | tojson) + ')' }}{%- endfor %}{{- '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- 'assistant: ' }}{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think></think>' }}{%- endif %}{%- endif %}`

const tool = {
  type: 'function',
  function: { name: 'find', description: 'a “thing” <b>', parameters: { type: 'object', properties: {} } },
}
const messages: Message[] = [
  { role: 'user', content: 'Find 3.' },
  {
    role: 'assistant',
    content: '',
    tool_calls: [
      { type: 'function', function: { name: 'find', arguments: { n: 3, of: ['ü', null, true, 0.5], not: {} } } },
    ],
  },
  { role: 'tool', content: '{"left": 3}' },
]

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-template-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function config(content: object): void {
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(content))
}

describe('chat templates with tools', () => {
  it('show tools and calls as transformers does', () => {
    const template = new ChatTemplate(TOOLS)
    expect(template.render(messages, { addGenerationPrompt: true, tools: [tool] })).toBe(
      `TOOLS
{"type": "function", "function": {"name": "find", "description": "a “thing” <b>", "parameters": {"type": "object", "properties": {}}}}
user: Find 3.
assistant: find({"n": 3, "of": ["ü", null, true, 0.5], "not": {}})
tool: {"left": 3}
assistant: `,
    )
  })

  it('think or do not, as asked, and by default as the template has it', () => {
    const template = new ChatTemplate(TOOLS)
    const said = (enableThinking?: boolean) =>
      template.render([messages[0]], { addGenerationPrompt: true, enableThinking })
    expect(said(false)).toMatch(/<think><\/think>$/)
    expect(said(true)).toMatch(/assistant: $/)
    expect(said()).toBe(said(true))
  })

  it('tell a template that asks who said so that there are none', () => {
    const template = new ChatTemplate('{{ tools is defined }} {{ tools is none }} {{ enable_thinking is defined }}')
    expect(template.render(messages, { addGenerationPrompt: false })).toBe('true true false')
  })
})

describe('the chat template of a folder', () => {
  it('is one of several by its name, with the tokens that templates write', () => {
    config({
      bos_token: { content: '<s>' },
      pad_token: '<pad>',
      chat_template: [
        { name: 'default', template: '{{ bos_token }}plain{{ pad_token }}{{ eos_token }}' },
        { name: 'tool_use', template: 'with {{ tools | length }}' },
      ],
    })
    const template = loadChatTemplate(folder)
    expect(template.render(messages, { addGenerationPrompt: false })).toBe('<s>plain<pad>')
    expect(template.render(messages, { addGenerationPrompt: false, tools: [tool] })).toBe('with 1')
    writeFileSync(join(folder, 'chat_template.jinja'), 'from the file')
    expect(loadChatTemplate(folder).render(messages, { addGenerationPrompt: false })).toBe('from the file')
  })

  it('may be missing, which is said where one is needed', () => {
    config({ chat_template: null })
    expect(findChatTemplate(folder)).toBeNull()
    expect(() => loadChatTemplate(folder)).toThrow('has no chat template: add chat_template.jinja')
    config({ chat_template: [{ name: 'rag', template: '' }] })
    expect(() => loadChatTemplate(folder)).toThrow('none of them is called "default"')
    config({ chat_template: 3 })
    expect(() => loadChatTemplate(folder)).toThrow('chat_template')
  })
})
