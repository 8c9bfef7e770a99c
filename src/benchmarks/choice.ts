import { judged, type Question } from './benchmark.ts'

/**
 * How a multiple-choice question is answered. `letter`: options are listed, and the letter with the highest log-probability is
 * the answer. `option`: none is listed, and the option whose text has the highest log-probability per character is.
 * `reply`: options are listed, the model reasons, and the letter is read from what it wrote.
 */
export type ChoiceStyle = 'letter' | 'option' | 'reply'

/** A question with options, as its file has it. */
export interface Choices {
  id: string
  question: string
  options: readonly string[]
  /** Index of the right one. */
  right: number
}

const LETTERS = 'ABCDEFGHIJ'

/** The same question as it is put to a model. */
export function choiceQuestion({ id, question, options, right }: Choices, style: ChoiceStyle): Question {
  const asked = question.trim()
  const listed = options.map((option, index) => `${LETTERS[index]}. ${option.trim()}`).join('\n')
  const ask = (content: string) => [{ role: 'user' as const, content }]
  switch (style) {
    case 'letter':
      return {
        id,
        kind: 'choice',
        messages: ask(`${asked}\n\n${listed}\n\nAnswer with the letter of the right option, and nothing else.`),
        options: options.map((_, index) => LETTERS[index]),
        right,
        perCharacter: false,
      }
    case 'option':
      return {
        id,
        kind: 'choice',
        messages: ask(asked),
        options: options.map((one) => one.trim()),
        right,
        perCharacter: true,
      }
    case 'reply':
      return {
        id,
        kind: 'reply',
        messages: ask(
          `${asked}\n\n${listed}\n\nReason step by step. End with a line that reads "Answer: " and the letter of the right option.`,
        ),
        judge(reply) {
          const answer = letterOf(reply, options.length)
          return judged(answer, answer === LETTERS[right])
        },
      }
  }
}

/**
 * The letter that a reply answers with: what it calls its answer, last mention first; else a letter that is marked as an
 * option; else a letter that stands alone. Null where there is none.
 */
export function letterOf(reply: string, options: number): string | null {
  const letters = LETTERS.slice(0, options)
  const one = `[${letters}]`
  const around = `(?:option\\s+)?[\\s*_"'$({\\[]*(?:\\\\(?:boxed|text|textbf|mathrm)\\{\\s*)*\\(?(${one})(?![A-Za-z'’])`
  const patterns = [
    // Cased letters: "the answer is a …" is an article.
    new RegExp(`[Aa](?:nswer|NSWER)(?:\\s+is|\\s*:)+${around}`, 'g'),
    new RegExp(`\\\\boxed\\{(?:\\\\text\\{)?\\s*\\(?(${one})\\)?\\s*\\}`, 'g'),
    new RegExp(`(?:^|[\\s*(])(${one})[).:](?=[\\s*]|$)`, 'gm'),
    new RegExp(`(?:^|\\s)(${one})(?=\\s*$)`, 'gm'),
  ]
  for (const pattern of patterns) {
    const last = [...reply.matchAll(pattern)].at(-1)
    if (last) return last[1]
  }
  return null
}
