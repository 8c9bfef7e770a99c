import { describe, expect, it } from 'vitest'
import { renderHtml, renderMarkdown } from '../reports/index.ts'
import { policyStage, worldModelStage } from '../stages/index.ts'
import { answersOf, verdictOf } from './compare.ts'
import { bySeed, costOf, success } from './results.ts'
import { armFor } from './roles.ts'
import type { Study } from './study.ts'
import { studyDocument } from './study-report.ts'
import { inventedResults } from './testing/fixture.ts'

const study: Study = {
  seeds: [1, 2, 3],
  arms: {
    base: [],
    RWML: [worldModelStage()],
    'policy RL': [policyStage({ curve: [5, 10] })],
    'RWML → policy RL': [worldModelStage(), policyStage({ curve: [5, 10] })],
    'no subsampling': { stages: [worldModelStage({ unfiltered: true })], seeds: 2 },
    'K = 2': { stages: [worldModelStage()], settings: { filter: { draws: 2 } }, seeds: 2 },
  },
  compare: [
    ['policy RL', 'RWML → policy RL', 'Does RWML help policy RL?'],
    ['base', 'RWML'],
    ['RWML', 'K = 2'],
  ],
}
const LEVELS: Record<string, number> = { 'policy RL': 50, 'RWML → policy RL': 60, 'policy RL, step 5': 30 }
const results = inventedResults(study, (arm, seed) => ({ solved: (LEVELS[arm] ?? 20) + seed * (arm.length % 3) }))
const markdown = renderMarkdown(studyDocument(results))
const rowOf = (name: string, section: string) =>
  markdown
    .split(/^## /m)
    .find((part) => part.startsWith(section))!
    .split('\n')
    .find((line) => line.startsWith(`| ${name}`) || line.startsWith(`| **${name}**`))

describe('the report of a study', () => {
  it('answers what was registered, corrected over all of it', () => {
    const found = answersOf(results, 'unseen')
    expect(found.map((one) => one!.comparison.seeds)).toEqual([3, 3, 2])
    expect(found[0]!.comparison.difference).toBeCloseTo(0.12, 1)
    expect(verdictOf(found[1]!)).toBe('not shown')
    for (const one of found) if (one!.p !== null) expect(one!.corrected).toBeGreaterThanOrEqual(one!.p)
    expect(rowOf('Does RWML help policy RL?', 'Comparisons')).toContain('RWML → policy RL − policy RL')
    expect(markdown).toContain('of 3 questions about success on unseen')
  })

  it('holds the first answers to the measure of all questions', () => {
    const half = { ...results, records: results.records.filter(({ world }) => world === 'main') }
    const [answer, , missing] = answersOf(half, 'unseen')
    expect(missing).toBeNull()
    expect(answer!.corrected).toBeCloseTo(Math.min(1, 3 * answer!.p!), 10)
  })

  it('puts every arm into its table, beside the paper, and says what would fill those that are empty', () => {
    expect(rowOf('RWML ', 'Table 1')).toContain('32.6')
    expect(rowOf('no subsampling', 'Table 1')).toBeUndefined()
    expect(rowOf('no subsampling', 'Table 3')).toContain('unfiltered')
    expect(rowOf('K = 2', 'Table 3')).toContain('filter.draws = 2')
    for (const title of ['Table 2', 'Table 4', 'Figure 3', 'Figure 4']) {
      expect(markdown).toMatch(new RegExp(`## ${title}[^\n]*\n\nLeft out: .* fills it\\.`))
    }
  })

  it('says which variations came out the same in every number, and only those', () => {
    const part = markdown.split(/^## /m).find((one) => one.startsWith('Table 3'))!
    expect(part).not.toContain('The same in every number')
    const arms = { RWML: [worldModelStage()], 'no subsampling': [worldModelStage({ unfiltered: true })] }
    const same = inventedResults({ seeds: [1, 2], arms }, () => ({ solved: 20 }))
    expect(renderMarkdown(studyDocument(same))).toContain('The same in every number: no subsampling.')
  })

  it('calls a stage within an arm by its title, where that is its own', () => {
    const controlled = [worldModelStage({ teaches: 'mismatched targets' }), policyStage()]
    const moved = (from: string, to: string) => ({ from, to, moved: 0.5, cells: [] })
    const text = renderMarkdown(
      studyDocument(
        inventedResults(
          { seeds: [1, 2], arms: { base: [], controlled, RWML: [worldModelStage()] } },
          () => ({ solved: 20 }),
          () => [moved('base', 'world-model-rl'), moved('world-model-rl', 'controlled')],
        ),
      ),
    )
    expect(text).toContain('| base → World-model RL, mismatched targets |')
    expect(text).toContain('| World-model RL, mismatched targets → controlled |')
  })

  it('sets arms that differ in settings of stages beside the first of their kind, and never in its place', () => {
    const varied = inventedResults(
      {
        seeds: [1, 2, 3],
        arms: {
          base: [],
          RWML: [worldModelStage({ settings: { batch: 8 } }), policyStage()],
          'β = 0': [worldModelStage({ settings: { batch: 4 } }), policyStage()],
        },
      },
      (arm, seed) => ({ solved: (arm === 'RWML' ? 20 : 70) + seed }),
    )
    const text = renderMarkdown(studyDocument(varied))
    const part = (title: string) => text.split(/^## /m).find((one) => one.startsWith(title))!
    expect(part('Table 1')).not.toContain('β = 0')
    expect(part('Table 3')).toMatch(
      /β = 0 .*World-model RL \(settings \{"batch":4\}\) in place of .*"batch":8.*\+50\.0/,
    )
    expect(armFor(varied.study, 'rwmlPolicyRl')).toBe('RWML')
  })

  it('leaves broken episodes out of every mean', () => {
    const broken = inventedResults({ ...study, compare: [['base', 'RWML']] }, () => ({ solved: 50 }))
    for (const { arms } of broken.records) {
      for (const { arm, policy } of arms) {
        if (arm === 'RWML') policy.unseen.solved = [`--${'1'.repeat(98)}`, `-0${'1'.repeat(98)}`]
      }
    }
    const [answer] = answersOf(broken, 'unseen')
    expect(answer!.comparison.pairs).toBe(3 * 99)
    expect(answer!.comparison.second.mean).toBeCloseTo(98 / 99, 10)
    expect(bySeed(broken, 'RWML', success('unseen'))[0].value).toBeCloseTo(98 / 99, 10)
    expect(renderMarkdown(studyDocument(broken))).not.toContain('NaN')
  })

  it('shows losses in their own unit', () => {
    const loss = { measure: 'loss', unit: 'number', better: 'down', value: 1.25 } as const
    const lost = inventedResults(study, () => ({ solved: 20, benchmarks: { 'Held-out text': loss } }))
    const text = renderMarkdown(studyDocument(lost))
    expect(text).toMatch(/here, nats/)
    expect(text).toContain('1.250 ± 0.000')
  })

  it('takes baselines from runs under the study’s own settings', () => {
    const other = inventedResults(study, () => ({ solved: 20 }))
    for (const record of other.records)
      if (record.world !== 'main') record.baselines['unseen: copy last observation'] = 1
    expect(renderMarkdown(studyDocument(other))).toContain('baseline: nearest training transition | 30.0')
  })

  it('draws curves from where an arm starts to its end', () => {
    const [policy, after] = ['policy RL', 'RWML → policy RL'].map((arm) => rowOf(arm, 'Learning curves')!.split('|'))
    expect(policy.slice(2, 6).map((cell) => Number(cell.split('±')[0]))).toEqual([22, 34, 20, 50])
    expect(after[2]).toContain('22.0 ±')
  })

  it('names every setting with its source, and what arms cost alone', () => {
    expect(markdown).toContain('| worldModel.groupSize | 8 | paper |')
    expect(markdown).toContain('up to 320 tasks (ours)')
    expect(rowOf('RWML → policy RL', 'Cost')).toContain('10 s')
    expect(rowOf('policy RL', 'Cost')).toContain('2.0 s')
    expect(rowOf('policy RL', 'Cost')).toContain('| 1 k | 100 | 300 | 1 B |')
    // What it learned from, without starting there, is paid for too.
    const taught = structuredClone(results)
    for (const { stages } of taught.records) {
      const policy = stages.find(({ arms }) => arms?.includes('policy RL'))
      if (policy)
        stages.push(
          { ...stages.find(({ name }) => name === 'world-model-rl')!, name: 'taught', arms: ['x'] },
          { ...stages.splice(stages.indexOf(policy), 1)[0], teacher: 'taught' },
        )
    }
    expect(costOf(taught, 'policy RL')!.seconds).toBe(10)
  })

  it('is one page that fetches nothing', () => {
    const html = renderHtml(studyDocument(results))
    expect(html).toContain('Table 1: main results')
    expect(html.match(/<svg /g)!.length).toBe(2)
    expect(html).not.toMatch(/(src|href)="http/)
  })
})
