/**
 * Our checkers against the reference implementation: on recorded verdicts everywhere, and on fresh ones where the referee
 * is (`npm run referees -- --light`).
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { refereeHas } from '../../core/testing/python.ts'
import { checkInstructions, instructionKinds } from './instructions.ts'
import { ifevalReference, type Reference, referenceSchema } from './testing/reference.ts'
import { drawnResponses } from './testing/responses.ts'
import { detectLanguage } from './text/language.ts'
import { splitSentences } from './text/sentences.ts'
import { countCapitalWords } from './text/words.ts'

const recorded = referenceSchema.parse(
  JSON.parse(readFileSync(new URL('testing/ifeval.reference.json', import.meta.url), 'utf8')),
)
const here = refereeHas('lm_eval', 'nltk', 'langdetect', 'immutabledict', 'punkt')

describe('recorded verdicts', () => {
  it('has responses that follow and that do not, of every kind', () => {
    const { instructions, responses, answers } = recorded
    expect(responses.length).toBeGreaterThanOrEqual(250)
    for (const kind of instructionKinds) {
      const verdicts = answers.flatMap(({ strict }) => [...strict].filter((_, i) => instructions[i].id === kind))
      expect([kind, verdicts.includes('1'), verdicts.includes('0')]).toEqual([kind, true, true])
    }
  })

  it('are ours', () => expect(differences(recorded)).toEqual([]))

  it('seldom depend on the languages that we have no profile of', () => {
    const languages = recorded.answers.filter(({ language, shared }) => shared && shared.language !== language)
    console.log(`${languages.length} of ${recorded.answers.length} responses are in another language with all profiles`)
    expect(languages.length / recorded.answers.length).toBeLessThan(0.05)
  })
})

describe.skipIf(!here)('fresh verdicts', () => {
  const seed = Date.now()
  it(`are ours (responses of seed ${seed})`, async () =>
    expect(differences(await ifevalReference(drawnResponses(seed, 20)))).toEqual([]))
})

/** In words, where ours is not the reference's. */
function differences({ instructions, responses, answers }: Reference): string[] {
  const asked = { instructionIds: instructions.map(({ id }) => id), kwargs: instructions.map(({ kwargs }) => kwargs) }
  return responses.flatMap((response, i) => {
    const { sentences, capitals, shared = answers[i] } = answers[i]
    const compared: [string, unknown, unknown][] = [
      ['sentences', splitSentences(response).length, sentences],
      ['capitals', countCapitalWords(response), capitals],
      ['language', detectLanguage(response), shared.language],
    ]
    for (const way of ['strict', 'loose'] as const) {
      const verdicts = checkInstructions(asked, response, { loose: way === 'loose' })
      for (const [j, follows] of verdicts.entries())
        compared.push([`${way} ${JSON.stringify(instructions[j])}`, follows, shared[way][j] === '1'])
    }
    return compared
      .filter(([, ours, theirs]) => ours !== theirs)
      .map(([what, ours, theirs]) => `${what} of ${JSON.stringify(response)}: ${ours}, not ${theirs}`)
  })
}
