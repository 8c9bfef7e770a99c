import { describe, expect, test } from 'vitest'
import type { ReportInput } from './input.ts'
import { buildReport } from './report.ts'
import { fixtureInput } from './testing/fixture.ts'

const HEADINGS = [
  'Results',
  'What a run this small cannot see',
  'Learning curves',
  'World-model accuracy by kind of transition',
  'Beside the paper',
  'Predictions beside what really followed',
  'Task success by kind',
  'How steps were spent',
  'Filter',
  'How far the weights moved',
  'Cost',
  'The world-model reward',
  'Configuration',
  'How to go on',
]

describe('a finished run', () => {
  const { markdown, html } = buildReport(fixtureInput())

  test('has every section in both forms, in order', () => {
    expect(markdown.match(/^## .*$/gm)).toEqual(HEADINGS.map((heading) => `## ${heading}`))
    expect([...html.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, heading]) => heading)).toEqual(HEADINGS)
  })

  test('is a pure function of its input', () => {
    expect(buildReport(fixtureInput())).toEqual({ markdown, html })
  })

  test('says what rose, by how much, with intervals, on how many tasks', () => {
    const [, verdict] = markdown.split('\n\n')
    expect(verdict).toMatch(
      /^Success on 274 held-out tasks \*\*rose from [\d.]+% to [\d.]+%\*\* \(\+[\d.]+ points, 95% interval [\d.]+ to [\d.]+\)/,
    )
    expect(verdict).toContain('The share of invalid actions **rose')
  })

  test('fetches nothing', () => {
    expect(html).not.toMatch(/<(link|img|iframe|object|embed|base)\b|\ssrc=|url\(|@import|https?:/i)
    expect(html).toContain('content="default-src &#39;none&#39;;')
  })

  test('is well-formed: every tag is closed in order', () => {
    const open: string[] = []
    const body = html.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '').replace(/^<!doctype html>/, '')
    for (const [, close, name] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/gi)) {
      if (name === 'meta') continue
      if (close) expect(open.pop()).toBe(name)
      else open.push(name)
    }
    expect(open).toEqual([])
  })

  test('every Markdown table has rows as wide as its head', () => {
    const tables = markdown.match(/(?:^\|.*\n)+/gm) ?? []
    expect(tables.length).toBeGreaterThan(6)
    for (const table of tables) {
      const widths = table
        .trimEnd()
        .split('\n')
        .map((row) => row.split(/(?<!\\)\|/).length)
      expect(new Set(widths).size).toBe(1)
    }
  })

  test('labels the paper’s figures as the paper’s', () => {
    expect(markdown).toContain('**7B and 8B models on the full benchmarks**')
    expect(markdown).toContain('| The paper (7B, 8B): ALFWorld |')
    expect(markdown).toContain('The unit is the task, of one trained model of each arm')
    expect(markdown).toMatch(/\| RWML → Policy RL \| 87\.9 ± 1\.6 \| 43\.7 ± 2\.1 \| \*\*[\d.]+ ± [\d.]+\*\* \|/)
    expect(markdown).toMatch(/\| Policy RL \| 81\.0 ± 1\.6 \| 38\.0 \| not run \|/)
  })
})

describe('cost and weights', () => {
  const { markdown, html } = buildReport(fixtureInput())

  test('an arm pays for all that it rests on, and success is held against it', () => {
    const cost = markdown.split('## Cost')[1].split('\n## ')[0]
    expect(cost).toMatch(
      /\| after world-model RL<br>collect, reward, filter, world-model-rl \| 3 min 14 s \| 20 \| [+−±][\d.]+ points \| −?[\d.e-]+ \| −?[\d.]+ \|/,
    )
    expect(cost).toContain('after policy RL<br>collect, reward, filter, world-model-rl, policy-rl')
    const older = fixtureInput()
    for (const stage of older.stages) delete stage.flops
    const without = buildReport(older).markdown.split('## Cost')[1].split('\n## ')[0]
    expect(without).toMatch(/\| after policy RL<br>[^|]+\| 7 min 25 s \| – \|/)
    expect(without).not.toContain('tokens read')
  })

  test('weights that moved stand by threshold and module, and are drawn', () => {
    const weights = markdown.split('## How far the weights moved')[1].split('\n## ')[0]
    expect(weights).toContain('| base → after world-model RL | 90.0% | 70.0% | 40.0% | 10.0% | 1.0% | 0.20% | 0.05 |')
    expect(weights).toContain('| after world-model RL → after policy RL |')
    expect(html.match(/aria-label="Share of weights with [^"]+ by module and layer"/g)).toHaveLength(2)
    const bare = buildReport({ ...fixtureInput(), weightChanges: [] })
    expect(bare.markdown).not.toContain('How far the weights moved')
  })

  test('steps are told by split and by kind', () => {
    const steps = markdown.split('## How steps were spent')[1].split('\n## ')[0]
    expect(steps).toContain('| base: invalid | base: wasted | base: steps if solved |')
    expect(steps).toMatch(/\| pick heat then place \| [\d.]+% \| [\d.]+% \| [\d.]+ \|/)
    expect(markdown).toMatch(/\| Wasted actions<br>of all steps/)
  })
})

describe('results that are not good', () => {
  test('invalid actions that nothing was trained on do not hide what was learned of the others', () => {
    const input = fixtureInput()
    const outcomes = input.evaluation?.arms.flatMap((arm) => arm.worldModel.flatMap((one) => one.outcomes ?? [])) ?? []
    for (const one of outcomes) one.valid = one.exact.map((_, i) => (i === 0 ? 0 : 1))
    const row = '| World model, exact, valid actions'
    expect(buildReport(input).markdown).toContain(row)
    expect(buildReport(input).markdown).not.toContain('left out of training')
    input.config = [...input.config, { path: 'collect.invalidShare', value: 0, source: 'paper' }]
    expect(buildReport(input).markdown.split('\n\n')[1]).toMatch(
      /Invalid actions were left out of training: on valid ones alone \(630 held-out transitions of 70 tasks\) it \*\*rose from/,
    )
  })

  test('no effect is called undetectable, not a rise', () => {
    const { markdown } = buildReport(fixtureInput(7, 0))
    expect(markdown.split('\n\n')[1]).toMatch(/Success on 274 held-out tasks \*\*did not change detectably\*\*/)
    expect(markdown).toContain('no detectable change')
  })

  test('a fall is called a fall', () => {
    const { markdown, html } = buildReport(fixtureInput(7, -0.6))
    expect(markdown.split('\n\n')[1]).toMatch(/Success on 274 held-out tasks \*\*fell from/)
    expect(html).toMatch(/class="right bad">−/)
  })
})

describe('missing parts', () => {
  const bare: ReportInput = {
    ...fixtureInput(),
    stages: [],
    filter: null,
    rewardKind: null,
    reward: null,
    metrics: [],
    evaluation: null,
    weightChanges: [],
    config: [],
    resolution: [],
  }

  test('nothing but the run itself still makes a report', () => {
    const { markdown, html } = buildReport(bare)
    expect(markdown).toContain('Nothing has been evaluated yet.')
    expect(markdown).toContain('This run has no filter stage.')
    // All but those on steps, weights and the paper, which have nothing to compare.
    expect(markdown.match(/^## /gm)).toHaveLength(HEADINGS.length - 3)
    expect(markdown).not.toContain('Beside the paper')
    expect(html).not.toMatch(/NaN|Infinity|undefined|null/)
  })

  test('a reward that needs no calibration is said all the same', () => {
    const sectionOf = (rewardKind: string | null, reward = bare.reward) =>
      buildReport({ ...bare, rewardKind, reward })
        .markdown.split('## The world-model reward')[1]
        .split('## ')[0]
    expect(sectionOf('exact')).toContain('Exact match: a prediction earns 1')
    expect(sectionOf('rouge')).toContain('ROUGE-L')
    expect(sectionOf('hybrid')).toMatch(/What tools return: ROUGE-L.*Nobody but tools/s)
    expect(sectionOf('hybrid', fixtureInput().reward)).toMatch(/Embedder.*What tools return: ROUGE-L/s)
    expect(sectionOf(null)).toContain('no world-model reward')
  })

  test('an environment without task reward reports its world model', () => {
    const input = fixtureInput()
    for (const arm of input.evaluation?.arms ?? []) arm.policy = []
    const { markdown, html } = buildReport(input)
    const [, verdict] = markdown.split('\n\n')
    expect(verdict).toMatch(/^The share of next states predicted exactly .* There is no task reward/)
    expect(markdown).toContain('| World model, exact')
    const about = ['Beside the paper', 'Task success by kind', 'How steps were spent']
    expect(markdown.match(/^## .*$/gm)).toEqual(
      HEADINGS.filter((heading) => !about.includes(heading)).map((heading) => `## ${heading}`),
    )
    const results = markdown.slice(0, markdown.indexOf('## Learning curves'))
    expect(results).not.toMatch(/not measured|evaluation runs/)
    expect(html).not.toMatch(/Success, |Task success/)
  })

  test('arms that solved nothing, and a single run, have no made-up numbers', () => {
    const input = fixtureInput()
    for (const arm of input.evaluation?.arms ?? []) {
      for (const result of arm.policy) {
        result.successByRun = [0]
        result.stepsPerSolved = null
        result.episodes = result.episodes.filter(({ run }) => run === 0).map((one) => ({ ...one, solved: false }))
      }
    }
    const { markdown, html } = buildReport(input)
    expect(markdown).not.toContain('± is the standard deviation')
    expect(buildReport(fixtureInput()).markdown).toContain('± is the standard deviation')
    expect(markdown).toMatch(/\| Steps per solved task<br>of solved episodes \| not measured \|/)
    expect(markdown).toMatch(/\| Success, all tasks<br>274 tasks × 1 run \| \*\*0\.0%\*\*<br>\\\[0\.0 to 1\.\d\\\]/)
    expect(`${markdown}${html}`).not.toMatch(/NaN|Infinity|undefined/)
  })

  test('one arm alone is not compared', () => {
    const input = fixtureInput()
    input.evaluation?.arms.splice(1)
    const { markdown } = buildReport(input)
    expect(markdown).toContain('Only one model was evaluated')
    expect(markdown).not.toContain('change, first to last')
  })
})

describe('outside text', () => {
  const nasty = '</style><script>alert("1")</script> & \' | ` *x* _y_ [z](javascript:1) \u0000\n# head'

  /** The input with every string in it replaced, names of stages and metrics aside. */
  function poison(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return ['stage', 'predictor', 'source'].includes(key) ? value : nasty
    if (Array.isArray(value)) return value.map((item) => poison(item, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [key === 'byKind' ? `${nasty}${name}` : name, poison(item, name)]),
    )
  }

  const { markdown, html } = buildReport(poison(fixtureInput()) as ReportInput)

  test('cannot become an element or leave an attribute', () => {
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html.match(/<\/style>/g)).toHaveLength(1)
    expect(html).not.toContain('alert("1")')
    expect(html).not.toContain('\u0000')
    expect(html).toContain('&lt;/style&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;')
  })

  test('stays one line of plain text in Markdown', () => {
    const prose = markdown.replace(/\\./g, '').replace(/(`+)[\s\S]*?[^`]\1(?!`)/g, '')
    expect(prose).not.toMatch(/<(?!br>)/)
    expect(prose).not.toContain('[z')
    expect(markdown.replace(/^```[\s\S]*?^```/gm, '').match(/^# /gm)).toHaveLength(1)
  })
})

test('says how episodes went where the environment tells it', () => {
  const input = fixtureInput()
  for (const result of input.evaluation!.arms[0].policy) {
    result.facts = { counts: { user: { scripted: 3 } }, means: { steps: 12.5 } }
    result.failed = 2
  }
  const { markdown } = buildReport(input)
  expect(markdown).toContain('## How episodes went')
  expect(markdown).toMatch(/\| user: scripted \| 6 \|/)
  expect(markdown).toMatch(/\| steps \| 12\.50 \|/)
  expect(markdown).toMatch(/\| left out: broke, not by the agent \| 4 \|/)
})
