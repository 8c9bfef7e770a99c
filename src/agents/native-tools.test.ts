import { describe, expect, it } from 'vitest'
import type { PastTurn, Tool } from '../core/index.ts'
import { byteTokenizerFile, ChatFormat, ChatTemplate, Conversation, type Message, Tokenizer } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL, CHATML_TOOLS } from '../tokens/testing/tokenizer.ts'
import type { View } from './agent.ts'
import { tau2Agent } from './tau2.ts'
import { parseNativeReply, toolDefinitions } from './tool-calls.ts'
import { toolsAgent } from './tools.ts'

const tools: Tool[] = [
  {
    name: 'find',
    description: 'a “thing” <b>',
    parameters: { type: 'object', properties: { n: { type: 'integer' } } },
  },
  { name: 'wait' },
]
const CALLS = ['{"name": "find", "arguments": {"n": 3}}', '{"name": "find", "arguments": {"n": 4}}']
const REPLY = CALLS.map((one) => `<tool_call>\n${one}\n</tool_call>`).join('\n')

const format = new ChatFormat(
  new Tokenizer(byteTokenizerFile([...CHATML_SPECIAL, '<tool_call>', '</tool_call>']), { eos_token: '<|endoftext|>' }),
  new ChatTemplate(CHATML_TOOLS),
)

describe('a template with tools', () => {
  it('is known by what it does', () => {
    expect(new ChatTemplate(CHATML_TOOLS).takesTools).toBe(true)
    expect(new ChatTemplate(CHATML).takesTools).toBe(false)
    // It shows the tools and calls them in a form that nobody reads here.
    const other = CHATML_TOOLS.replace('<tool_call>\\n{"name"', '[CALL] {"name"')
    expect(other).not.toBe(CHATML_TOOLS)
    expect(new ChatTemplate(other).takesTools).toBe(false)
    expect(new ChatTemplate(`{{ raise_exception('no') }}${CHATML}`).takesTools).toBe(false)
  })

  it('shows tools and results, and goes on from the very tokens of a call', () => {
    const agent = toolsAgent({ toolCalls: 'template' })
    const view: View = { instruction: 'Help.', tools, initial: { from: 'user', text: 'Find 3 and 4.' }, history: [] }
    const conversation = new Conversation(format)
    const first = conversation.prompt(agent.playMessages(view), agent.playTools?.(view))
    const sampled = format.replyTokens(REPLY)
    const reply = conversation.accept(sampled, new Array<number>(sampled.length).fill(-1))
    const { action, wellFormed } = agent.parseAction(reply)
    expect(wellFormed).toBe(true)
    expect(action).toEqual({
      kind: 'tools',
      calls: [3, 4].map((n, index) => ({ id: `call-${index}`, name: 'find', arguments: `{"n":${n}}` })),
    })
    const results = ['{"left": 1}', 'Error: gone'].map((content, index) => ({
      id: `call-${index}`,
      name: 'find',
      content,
    }))
    const turn: PastTurn = { reply, action, observation: { from: 'tool', results } }
    const next = { ...view, history: [turn] }
    const second = conversation.prompt(agent.playMessages(next), agent.playTools?.(next))
    expect(conversation.restarts).toBe(0)
    expect(second.slice(0, first.length + sampled.length)).toEqual([...first, ...sampled])
    expect(conversation.sequence.mask.reduce((sum: number, one) => sum + one, 0)).toBe(sampled.length)

    // The same conversation with the calls in their fields, as transformers' apply_chat_template has it.
    const fields: Message[] = [
      { role: 'system', content: 'Help.' },
      { role: 'user', content: 'Find 3 and 4.' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [3, 4].map((n) => ({ type: 'function', function: { name: 'find', arguments: { n } } })),
      },
      ...results.map(({ content }): Message => ({ role: 'tool', content })),
    ]
    const text = format.tokenizer.decode(second)
    expect(text).toBe(format.promptText(fields, { tools: toolDefinitions(tools) }))
    expect(text).toContain(
      `<tools>\n{"type": "function", "function": {"name": "find", "description": "a “thing” <b>", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}}\n{"type": "function", "function": {"name": "wait"`,
    )
    expect(text).toContain(
      `<|im_start|>user\n<tool_response>\n{"left": 1}\n</tool_response>\n<tool_response>\nError: gone\n</tool_response><|im_end|>\n<|im_start|>assistant\n`,
    )
    expect(text).not.toContain('You can call these tools')
  })

  it('that forgets old thoughts begins a new sequence, and the thoughts are learnt from in the old one', () => {
    const agent = tau2Agent({ toolCalls: 'template' })
    expect(agent.name).toBe('tau2, 4 turns, masked, tools by its template')
    const view: View = { instruction: 'Policy.', tools, initial: { from: 'user', text: 'Hi' }, history: [] }
    const conversation = new Conversation(format)
    conversation.prompt(agent.playMessages(view), agent.playTools?.(view))
    const sampled = format.replyTokens('<think>\nWho?\n</think>\n\nWho are you?')
    const reply = conversation.accept(sampled, new Array<number>(sampled.length).fill(-1))
    const { action, thinking } = agent.parseAction(reply)
    expect([thinking, action]).toEqual(['Who?', { kind: 'text', text: 'Who are you?' }])
    const next = { ...view, history: [{ reply, action, observation: { from: 'user' as const, text: 'Ann' } }] }
    const second = format.tokenizer.decode(conversation.prompt(agent.playMessages(next), agent.playTools?.(next)))
    expect(conversation.restarts).toBe(1)
    expect(second).toContain('<|im_start|>assistant\nWho are you?<|im_end|>')
    expect(format.tokenizer.decode(conversation.sequences()[0].tokens)).toContain('Who?')
  })
})

describe('a reply in the form of a template', () => {
  it.each([
    ['All right.', { thinking: null, action: { kind: 'text', text: 'All right.' }, wellFormed: true }],
    ['a\n</think>\nb', { thinking: 'a', action: { kind: 'text', text: 'b' }, wellFormed: true }],
    ['<think>\nfor ever', { thinking: null, action: null, wellFormed: false }],
    ['<think>a</think>', { thinking: 'a', action: null, wellFormed: false }],
    ['', { thinking: null, action: null, wellFormed: false }],
    ['<tool_call>{"name": </tool_call>', { thinking: null, action: null, wellFormed: false }],
    [
      '<think></think>\nOne moment.\n<tool_call>{"name": "wait"}</tool_call>',
      {
        thinking: '',
        action: { kind: 'tools', text: 'One moment.', calls: [{ id: 'call-0', name: 'wait', arguments: '{}' }] },
        wellFormed: true,
      },
    ],
  ])('%j', (reply, parsed) => {
    expect(parseNativeReply(reply)).toEqual(parsed)
  })
})
