/** What the pretrained model is asked, and text of every kind for its tokenizer: the same on every machine. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../../src/core/index.ts'
import type { Message } from '../../src/tokens/index.ts'

const root = join(import.meta.dirname, '..', '..')

const user = (content: string): Message => ({ role: 'user', content })
const assistant = (content: string): Message => ({ role: 'assistant', content })
const system = (content: string): Message => ({ role: 'system', content })

export const conversations: Message[][] = [
  [user('What is the capital of France?')],
  [user('Write one sentence about the sea.')],
  [user('Name three fruits that are red.')],
  [user('Explain in two sentences why the sky is blue.')],
  [user('How do I boil an egg?')],
  [user('Translate to French: the cat sleeps on the chair.')],
  [user('What is 17 + 25? Show the steps.')],
  [user('Write a short poem about autumn leaves.')],
  [user('def add(a, b):\n    return a + b\n\nWhat does this function do?')],
  [user('List the planets of the solar system in order.')],
  [user('Who was Marie Curie?')],
  [user('¿Cuál es la capital de España? Antworte bitte auf Deutsch. 日本語でもいいです 🙂')],
  [user('')],
  [user('  Two leading spaces,\ttabs\tand\n\n\nempty lines   ')],
  [
    system('You are in a household. Answer with one action.'),
    user('You see a mug 1 and a fridge 1. Put a cool mug on the desk.'),
  ],
  [system('Answer as briefly as you can.'), user('Is water wet?')],
  [user('My name is Ada.'), assistant('Nice to meet you, Ada!'), user('What is my name?')],
  [
    user('Count to three.'),
    assistant('1, 2, 3.'),
    user('And now backwards.'),
    assistant('3, 2, 1.'),
    user('Go on to zero.'),
  ],
  [user(`Summarise: ${readFileSync(join(root, 'LICENSE'), 'utf8').slice(0, 1100)}`)],
  [user('<|im_start|> and <|im_end|> are words of yours; what do they mean?')],
]

/** About a million bytes in pieces of about two thousand: this repository's own words and code, and generated text. */
export function mixedTexts(): string[] {
  return [...repository(700_000), ...generated(150)]
}

function repository(most: number): string[] {
  const files = ['docs', 'src', 'scripts', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(md|ts|py|json)$/.test(path))
      .sort()
      .map((path) => join(root, folder, path)),
  )
  const text = files.map((path) => readFileSync(path, 'utf8')).join('')
  const pieces = Array.from({ length: Math.ceil(most / 2000) }, (_, i) => text.slice(2000 * i, 2000 * (i + 1)))
  // A cut may go through a pair of surrogates, and half of one is no text.
  return pieces.map((piece) => piece.replace(/\p{Surrogate}/gu, '')).filter((piece) => piece !== '')
}

/** Code points from and to, both included. */
const RANGES: Record<string, [number, number][]> = {
  control: [
    [0x00, 0x1f],
    [0x7f, 0x9f],
  ],
  spaces: [
    [0x09, 0x0d],
    [0x1c, 0x20],
    [0x85, 0x85],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x180e, 0x180e],
    [0x2000, 0x200f],
    [0x2028, 0x202f],
    [0x205f, 0x2060],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ],
  latin: [
    [0x20, 0x7e],
    [0xa1, 0x24f],
    [0x1e00, 0x1eff],
  ],
  combining: [
    [0x61, 0x7a],
    [0x300, 0x36f],
  ],
  greekCyrillic: [[0x370, 0x52f]],
  semitic: [[0x590, 0x6ff]],
  indic: [[0x900, 0xdff]],
  cjk: [
    [0x3000, 0x30ff],
    [0x4e00, 0x9fff],
    [0xac00, 0xd7a3],
  ],
  numerals: [
    [0x30, 0x39],
    [0xb2, 0xb3],
    [0xb9, 0xb9],
    [0xbc, 0xbe],
    [0x660, 0x669],
    [0x966, 0x96f],
    [0x2070, 0x2079],
    [0x2150, 0x218b],
    [0x2460, 0x249b],
    [0x3007, 0x3007],
    [0x3021, 0x3029],
    [0xff10, 0xff19],
    [0x1d7ce, 0x1d7ff],
  ],
  symbols: [
    [0x2010, 0x2027],
    [0x20a0, 0x20bf],
    [0x2190, 0x23ff],
    [0x2500, 0x27bf],
  ],
  emoji: [
    [0x1f300, 0x1f64f],
    [0x1f680, 0x1f6ff],
    [0x1f900, 0x1f9ff],
    [0x200d, 0x200d],
    [0xfe0f, 0xfe0f],
    [0x1f3fb, 0x1f3ff],
    [0x1f1e6, 0x1f1ff],
  ],
  anything: [
    [0x00, 0xd7ff],
    [0xe000, 0x323af],
  ],
}

const WORDS = [
  "don't",
  "we'LL",
  "I'm",
  'the',
  ' of',
  '  two',
  '\n',
  '\r\n',
  '\t',
  '    ',
  '12345',
  '3.14',
  '-1e-9',
  '0x1F',
  '{',
  '}',
  '=>',
  '...',
  '!?',
  '<|im_start|>',
  '<|im_end|>',
  '<|endoftext|>',
  'naïve',
  'ﬁ',
  '🤷🏽‍♀️',
  "'",
  "'s",
  ' ,',
  ';',
]

/** Every piece mixes one kind of characters, and every other piece all kinds, with words and code. */
function generated(pieces: number): string[] {
  const random = new Random('mixed text')
  const kinds = Object.values(RANGES)
  return Array.from({ length: pieces }, (_, piece) => {
    let text = ''
    while (text.length < 1200) {
      const ranges = piece % 2 === 0 ? kinds[(piece / 2) % kinds.length] : random.pick(kinds)
      const [from, to] = random.pick(ranges)
      text += random.chance(0.15) ? random.pick(WORDS) : String.fromCodePoint(random.integer(from, to))
    }
    return text
  })
}
