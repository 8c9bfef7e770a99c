import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTokenizerFile, Tokenizer } from '../tokens/index.ts'
import { AnswerText, IncrementalText } from './text.ts'

const tokenizer = new Tokenizer(byteTokenizerFile(['<|end|>'], ['drawer 1', 'go to ']), {})
const [end, drawer] = [tokenizer.tokenId('<|end|>')!, tokenizer.tokenId('drawer 1')!]
const bytes = (text: string) => [...Buffer.from(text)]

/** Every piece that an answer gives for these tokens, up to where it stops. */
function pieces(
  tokens: number[],
  stopSequences: number[][],
  stopStrings: string[],
): { pieces: string[]; stopped: boolean } {
  const text = new AnswerText(tokenizer, stopSequences, stopStrings)
  const given: string[] = []
  for (const token of tokens) {
    given.push(text.push(token))
    if (text.stopped) return { pieces: given, stopped: true }
  }
  given.push(text.end())
  return { pieces: given, stopped: text.stopped }
}

describe('IncrementalText', () => {
  it('gives whole characters, and in sum the text of all tokens', () => {
    const token = fc.oneof(fc.integer({ min: 0, max: tokenizer.vocabularySize - 1 }), fc.constantFrom(...bytes('é😀')))
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        const text = new IncrementalText(tokenizer)
        const given = tokens.map((one) => text.push(one))
        expect(given.join('') + text.end()).toBe(tokenizer.decode(tokens))
      }),
      { numRuns: 500 },
    )
    const text = new IncrementalText(tokenizer)
    expect(bytes('a😀b').map((one) => text.push(one))).toEqual(['a', '', '', '', '😀', 'b'])
  })
})

describe('AnswerText', () => {
  it('ends at the first stop string, however it is cut into tokens, and shows nothing of it', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 20 })
    const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 4 }), {
      maxLength: 3,
    })
    fc.assert(
      fc.property(letters, stops, (text, stopStrings) => {
        const found = stopStrings.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
        // Of several, the one that is complete first ends it: a longer one that begins earlier is never reached.
        const ends = stopStrings
          .map((stop) => text.indexOf(stop) + stop.length)
          .filter((_, i) => text.includes(stopStrings[i]))
        const answer = pieces(bytes(text), [], stopStrings)
        expect(answer.stopped).toBe(found.length > 0)
        if (found.length === 0) expect(answer.pieces.join('')).toBe(text)
        else {
          const read = text.slice(0, Math.min(...ends))
          const first = Math.min(...stopStrings.map((stop) => read.indexOf(stop)).filter((at) => at >= 0))
          expect(answer.pieces.join('')).toBe(text.slice(0, first))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('holds back only what a stop string may still become', () => {
    expect(pieces([...bytes('a\n'), ...bytes('b\n\nc')], [], ['\n\n'])).toEqual({
      pieces: ['a', '', '\nb', '', ''],
      stopped: true,
    })
    expect(pieces(bytes('a\n'), [], ['\n\n'])).toEqual({ pieces: ['a', '', '\n'], stopped: false })
  })

  it('leaves out the tokens that end it, one or several', () => {
    expect(pieces([drawer, end], [[end]], [])).toEqual({ pieces: ['drawer 1', ''], stopped: true })
    expect(pieces([10, drawer, 10, 10, 65], [[10, 10]], [])).toEqual({
      pieces: ['', '\ndrawer 1', '', ''],
      stopped: true,
    })
    expect(pieces([drawer, 10], [[10, 10]], [])).toEqual({ pieces: ['drawer 1', '', '\n'], stopped: false })
  })

  it('finds a stop string in what was held back', () => {
    expect(pieces([65, 10], [[10, 10]], ['\n'])).toEqual({ pieces: ['A', '', ''], stopped: true })
  })
})
