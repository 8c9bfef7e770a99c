import { Random } from '../../../core/index.ts'
import { EDGES, LANGUAGES, SENTENCES, TITLES, WORDS_FOR_LISTS } from './texts.ts'

/** The cases that are easily got wrong, and texts in one language each. */
export const HARD_RESPONSES: readonly string[] = [...EDGES, ...Object.values(LANGUAGES)]

/** Responses as a model could write them, drawn from a seed. */
export function drawnResponses(seed: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => response(seed, i))
}

function response(seed: number, index: number): string {
  const random = new Random(seed, 'ifeval', index)
  const pick = <T>(from: readonly T[]) => random.pick(from)
  const some = (most: number, make: () => string) => Array.from({ length: random.integer(1, most) }, make)

  const sentence = () => pick(SENTENCES)
  const paragraph = () => some(5, sentence).join(pick([' ', ' ', '  ', '\n']))
  const list = () => {
    const mark = pick(['* ', '- ', '1. ', '  * ', '+ '])
    return some(5, () => `${mark}${pick(WORDS_FOR_LISTS)}`).join('\n')
  }
  const sections = () => {
    const word = pick(['Section', 'SECTION', 'Part', 'section'])
    return some(4, sentence)
      .map((text, i) => `${word} ${i + 1}\n${text}`)
      .join(pick(['\n', '\n\n']))
  }
  const json = () => JSON.stringify({ answer: sentence(), items: some(3, sentence) }, null, pick([0, 2]))
  const foreign = () => {
    const text = pick(Object.values(LANGUAGES))
    return random.chance(0.5) ? text : `${text} ${pick(Object.values(LANGUAGES))}`
  }
  const blocks = [paragraph, paragraph, paragraph, list, sections, json, foreign, () => pick(TITLES)]

  const parts = some(4, () => pick(blocks)())
  const text = parts.join(pick(['\n\n', '\n\n', '\n\n\n\n', '\n', '\n***\n', '\n******\n', ' *** ']))
  const dressed = pick([
    (inner: string) => inner,
    (inner: string) => inner,
    (inner: string) => `"${inner}"`,
    (inner: string) => `\`\`\`json\n${inner}\n\`\`\``,
    (inner: string) => `Write a poem about rain.\n${inner}`,
    (inner: string) => `Here it is:\n${inner}\nIs there anything else I can help with?`,
    (inner: string) => `${inner}\n\nP.S. ${sentence()}`,
    (inner: string) => `${inner}\nP.P.S. [name], ${sentence()}`,
    (inner: string) => inner.replaceAll(',', ''),
    (inner: string) => inner.replace(/\b(the|and|was)\b/g, '**$1**'),
    (inner: string) => inner.replace(/\b(the|and|was)\b/g, '[$1]'),
    (inner: string) => `However, ${inner}`,
  ])(text)
  return pick([
    dressed,
    dressed,
    dressed,
    dressed,
    dressed.toUpperCase(),
    dressed.toLowerCase(),
    capitals(dressed, random),
  ])
}

/** Some words in capitals. */
function capitals(text: string, random: Random): string {
  return text.replace(/\p{L}+/gu, (word) => (random.chance(0.2) ? word.toUpperCase() : word))
}
