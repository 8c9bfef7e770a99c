import { type Block, type Cell, cell, type Inline, left, right, type Section, type Tone } from '../../reports/index.ts'
import { type Answer, answersOf, type Verdict, verdictOf } from '../compare.ts'
import { primaryOf, type StudyResults, splitsOf } from '../results.ts'
import { empty, note, paragraph, percent, pointRange, points, probability } from './words.ts'

const TONES: Record<Verdict, Tone> = { yes: 'good', 'no, the reverse': 'bad', 'not shown': 'quiet' }

/** The verdicts of the primary comparison in one or two sentences. */
export function inShort(results: StudyResults): Inline[] {
  const { compare } = results.study
  const split = primaryOf(results)
  if (compare.length === 0 || split === null) return ['The study compares no arms.']
  const found = answersOf(results, split).filter((one) => one !== null)
  const those = (verdict: Verdict) => found.filter((one) => verdictOf(one) === verdict)
  const list = (some: readonly Answer[]) =>
    some.length === 0
      ? ''
      : ` (${some.map(({ first, second, comparison }) => `${second} − ${first}: ${points(comparison.difference)} points`).join('; ')})`
  const [held, reverse] = [those('yes'), those('no, the reverse')]
  const open = compare.length - held.length - reverse.length
  return [
    { strong: 'In short:' },
    ` of ${compare.length} questions about success on ${split}, ${held.length} can be answered with yes${list(held)}; of ${reverse.length} the reverse holds${list(reverse)}; ${open} ${open === 1 ? 'is' : 'are'} not shown either way.`,
  ]
}

/** Every registered question on every split, the primary one first, with what could have been seen. */
export function comparisonsSection(results: StudyResults): Section {
  const title = 'Comparisons'
  const { study } = results
  if (study.compare.length === 0) return empty('comparisons', title, 'compare, in the study file, names pairs of arms.')
  const splits = splitsOf(results)
  if (splits.length === 0) return empty('comparisons', title, 'they are about success, and there is no task reward.')
  const blocks: Block[] = [
    paragraph(
      `Written down ${study.registeredAt.slice(0, 10)}, before anything ran. Success on ${splits[0]} is the primary comparison, all else a second look. p: Student’s paired test over seeds; Holm’s correction over the questions of a table. Sign flips over n seeds cannot fall below 2 / 2^n. Detectable: the smallest true difference that four of five such studies would show, as computed beforehand (alone, and as the hardest of Holm’s) and from how the differences really vary.`,
    ),
    note(`Beforehand it was assumed that ${study.assumed}.`),
  ]
  for (const split of splits) {
    blocks.push({ block: 'paragraph', content: [{ strong: split }] }, tableOf(results, split, split === splits[0]))
  }
  return { id: 'comparisons', title, blocks }
}

function tableOf(results: StudyResults, split: string, isPrimary: boolean): Block {
  const found = answersOf(results, split)
  const { compare, detectable } = results.study
  const before = (index: number): Cell => {
    const { alone, corrected } = detectable[index]
    const text = (value: number | null) => (value === null ? 'none' : percent(value))
    return { text: text(alone), below: text(corrected), tone: 'quiet' }
  }
  const rows = compare.map((question, index): Cell[] => {
    const answer = found[index]
    const name: Cell = { text: question.asks, below: `${question.second} − ${question.first}` }
    const ahead = isPrimary ? [before(index)] : []
    if (!answer)
      return [
        name,
        cell('not yet', 'quiet'),
        ...Array.from({ length: 5 }, () => cell('')),
        ...ahead,
        cell(''),
        cell(''),
      ]
    const { comparison, p, corrected } = answer
    const { overSeeds } = comparison
    const verdict = verdictOf(answer)
    return [
      name,
      { text: points(comparison.difference), below: `${comparison.seeds} seeds`, tone: 'strong' },
      cell(pointRange(comparison.interval)),
      cell(overSeeds ? pointRange(overSeeds.interval) : '–'),
      cell(probability(p)),
      cell(probability(corrected)),
      cell(overSeeds ? probability(overSeeds.signFlips) : '–'),
      ...ahead,
      cell(answer.detectable === null ? '–' : percent(answer.detectable)),
      cell(verdict, TONES[verdict]),
    ]
  })
  return {
    block: 'table',
    columns: [
      left('Question'),
      right('Difference, points'),
      right('95 % over seeds and tasks'),
      right('95 % over seeds'),
      right('p'),
      right('p, Holm'),
      right('Sign flips'),
      ...(isPrimary ? [right('before', 'Detectable')] : []),
      right('after', 'Detectable'),
      right('Held?'),
    ],
    rows,
  }
}
