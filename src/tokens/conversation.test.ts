import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UserError } from '../core/index.ts'
import { byteTokenizerFile } from './byte-level.ts'
import { Conversation } from './conversation.ts'
import { checkMask, renderConversation, renderExample } from './example.ts'
import { ChatFormat } from './format.ts'
import { ChatTemplate, type Message } from './template.ts'
import { CHATML, CHATML_SPECIAL } from './testing/tokenizer.ts'
import { Tokenizer } from './tokenizer.ts'

const tokenizer = new Tokenizer(byteTokenizerFile(CHATML_SPECIAL, ['drawer 1', 'go to ']), {
  eos_token: '<|endoftext|>',
})
const format = new ChatFormat(tokenizer, new ChatTemplate(CHATML))
const end = tokenizer.tokenId('<|im_end|>')!
const user = (content: string): Message => ({ role: 'user', content })
const assistant = (content: string): Message => ({ role: 'assistant', content })
const zeros = (tokens: number[]) => tokens.map(() => 0)

describe('ChatTemplate', () => {
  it('renders messages, and does not depend on the clock', () => {
    expect(format.promptText([user('hi')])).toBe('<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n')
    const dated = new ChatTemplate('{{ strftime_now("%d %b %Y") }} {{ messages[0].content }}')
    expect(dated.render([user('hi')], { addGenerationPrompt: false })).toBe('26 Jul 2024 hi')
  })

  it('tells what a template refuses', () => {
    const template = new ChatTemplate('{{ raise_exception("no tools here") }}')
    expect(() => template.render([user('hi')], { addGenerationPrompt: true })).toThrow(/refused user.*no tools here/)
    expect(() => new ChatTemplate('{% if %}')).toThrow(/cannot be parsed/)
  })
})

describe('ChatTemplate, given anything', () => {
  const sound = fc.constantFrom(
    '{% for m in messages %}',
    '{% endfor %}',
    '{{ m.content }}',
    '{% if ',
    '{{',
    '}}',
    '{#',
  )
  const source = fc.array(fc.oneof(sound, fc.string())).map((parts) => parts.join(''))
  const message = fc.record({
    role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const, 'tool' as const),
    content: fc.string({ unit: 'binary' }),
  })

  it('renders, or says in the template’s words why not', () => {
    fc.assert(
      fc.property(source, fc.array(message, { maxLength: 4 }), fc.boolean(), (text, messages, addGenerationPrompt) => {
        try {
          expect(typeof new ChatTemplate(text).render(messages, { addGenerationPrompt })).toBe('string')
        } catch (error) {
          expect(error).toBeInstanceOf(UserError)
        }
      }),
    )
  })

  it('keeps every message whole, whatever stands in it', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 4 }), (messages) => {
        const text = format.promptText(messages)
        for (const { content } of messages) expect(text).toContain(content)
      }),
    )
  })
})

describe('ChatFormat', () => {
  it('finds how an assistant turn ends', () => {
    expect(format.stop).toEqual([[end], [tokenizer.tokenId('<|endoftext|>')]])
    const lines = new ChatFormat(tokenizer, new ChatTemplate('{% for m in messages %}{{ m.content }}\n\n{% endfor %}'))
    expect(lines.turnEnd).toEqual([10, 10])
    const bare = new ChatFormat(tokenizer, new ChatTemplate('{% for m in messages %}{{ m.content }}{% endfor %}'))
    expect(bare.stop).toEqual([[tokenizer.tokenId('<|endoftext|>')]])
  })

  it('removes the stop sequence from a reply, and only that', () => {
    expect(format.replyText([65, end])).toBe('A')
    expect(format.replyText([65])).toBe('A')
    expect(format.replyText([end, 65])).toBe('<|im_end|>A')
  })
})

describe('Conversation', () => {
  it('keeps sampled ids that the tokenizer would not have chosen', () => {
    const conversation = new Conversation(format)
    const prompt = conversation.prompt([user('go')])
    const sampled = [...Buffer.from('drawer 1'), end]
    const reply = conversation.accept(
      sampled,
      sampled.map(() => -0.5),
    )
    expect(reply).toBe('drawer 1')
    const next = conversation.prompt([user('go'), assistant(reply), user('you see drawer 1')])
    expect(next.slice(0, prompt.length + sampled.length)).toEqual([...prompt, ...sampled])
    expect(tokenizer.decode(next)).toBe(format.promptText([user('go'), assistant(reply), user('you see drawer 1')]))
    expect(conversation.restarts).toBe(0)
    const { tokens, mask, logprobs } = conversation.sequence
    expect(tokens).toEqual(next)
    expect(mask.reduce((a, b) => a + b)).toBe(sampled.length)
    expect(tokens.filter((_, index) => mask[index] === 1)).toEqual(sampled)
    expect(logprobs.filter((value) => value !== 0)).toHaveLength(sampled.length)
  })

  it('goes on after a reply cut at the length limit: the end of the turn is not the model’s', () => {
    const conversation = new Conversation(format)
    conversation.prompt([user('go')])
    const reply = conversation.accept([65, 66], [-1, -1])
    conversation.prompt([user('go'), assistant(reply), user('next')])
    expect(conversation.restarts).toBe(0)
    const { tokens, mask } = conversation.sequence
    expect(tokens[mask.lastIndexOf(1) + 1]).toBe(end)
  })

  it('starts a new sequence, and counts it, when earlier turns are rewritten', () => {
    const conversation = new Conversation(format)
    conversation.prompt([user('go')])
    conversation.accept(
      format.replyTokens('<thinking>x</thinking>look'),
      zeros(format.replyTokens('<thinking>x</thinking>look')),
    )
    const fresh = conversation.prompt([user('go'), assistant('look'), user('next')])
    expect(conversation.restarts).toBe(1)
    expect(fresh).toEqual(tokenizer.encode(format.promptText([user('go'), assistant('look'), user('next')])))
    conversation.accept([65, end], [-1, -1])
    expect(conversation.sequences()).toHaveLength(2)
  })

  it('refuses an answer without a question, and log-probabilities that do not fit', () => {
    const conversation = new Conversation(format)
    expect(() => conversation.accept([65], [0])).toThrow(/needs a prompt/)
    conversation.prompt([user('go')])
    expect(() => conversation.accept([65], [])).toThrow(/log-probabilities/)
  })

  it('always decodes to the rendered text, whatever is said', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 }), (turns) => {
        const conversation = new Conversation(format)
        const messages: Message[] = []
        for (const [said, answered] of turns) {
          messages.push(user(said))
          const prompt = conversation.prompt(messages)
          expect(tokenizer.decode(prompt)).toBe(format.promptText(messages))
          const tokens = [...Buffer.from(answered), end]
          messages.push(assistant(conversation.accept(tokens, zeros(tokens))))
        }
        expect(conversation.restarts).toBe(0)
      }),
    )
  })
})

describe('labelled examples', () => {
  it('mask the reply and its end, and nothing else', () => {
    const { tokens, mask } = renderExample(format, [user('a'), assistant('b'), user('c'), assistant('go to drawer 1')])
    const trained = tokens.filter((_, index) => mask[index] === 1)
    expect(trained).toEqual(format.replyTokens('go to drawer 1'))
    expect(tokenizer.decode(tokens)).toMatch(/^<\|im_start\|>user\na<\|im_end\|>/)
    expect(() => renderExample(format, [user('a')])).toThrow(/end with an assistant/)
  })

  it('train on every reply of a conversation', () => {
    const [sequence, ...others] = renderConversation(format, [user('a'), assistant('b'), user('c'), assistant('d')])
    expect(others).toEqual([])
    const trained = sequence.tokens.filter((_, index) => sequence.mask[index] === 1)
    expect(trained).toEqual([...format.replyTokens('b'), ...format.replyTokens('d')])
    expect(() => renderConversation(format, [user('a')])).toThrow(/at least one assistant/)
  })

  it('refuse an all-zero and an all-one mask', () => {
    expect(() => checkMask([0, 0], 'example 3')).toThrow(/example 3.*no token/)
    expect(() => checkMask([1, 1], 'x')).toThrow(/every token/)
    expect(() => checkMask([], 'x')).toThrow(/empty/)
    expect(() => checkMask([0, 1], 'x')).not.toThrow()
  })
})
