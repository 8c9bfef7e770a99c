import type { Block, Cell, Column, Figure, Inline, Prediction, ReportDocument } from './document.ts'
import { formatNumber } from './format.ts'
import { element, join, type Markup, raw } from './markup.ts'
import { styleSheet } from './style.ts'
import { type WordRun, wordDifference } from './wordDifference.ts'

/** Nothing may be fetched, whatever a text from outside tries. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

/** The only script: light or dark against the system's choice. Without it the page follows the system. */
const THEME_SCRIPT = `document.getElementById('theme').onclick=()=>{const r=document.documentElement,d=r.dataset.theme||(matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light');r.dataset.theme=d==='dark'?'light':'dark'}`

/** The report as one page: style, drawings and script inside, no request to anywhere. */
export function renderHtml(document: ReportDocument): string {
  const head = element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }),
    element('title', {}, `${document.title} · rwml`),
    element('style', {}, raw(styleSheet())),
  )
  const header = element(
    'header',
    {},
    element('button', { id: 'theme', type: 'button', title: 'Light or dark' }, '◐'),
    element('p', { class: 'eyebrow' }, 'Reinforcement world model learning · report'),
    element('h1', {}, document.title),
    element('p', { class: 'verdict' }, inline(document.verdict)),
    element('ul', { class: 'facts' }, ...document.facts.map((fact) => element('li', {}, fact))),
  )
  const contents = element(
    'nav',
    { 'aria-label': 'Contents' },
    ...document.sections.map((section) => element('a', { href: `#${section.id}` }, section.title)),
  )
  const sections = document.sections.map((section) =>
    element('section', { id: section.id }, element('h2', {}, section.title), ...section.blocks.map(block)),
  )
  const body = element(
    'body',
    {},
    element('main', {}, header, contents, ...sections),
    element('script', {}, raw(THEME_SCRIPT)),
  )
  return `<!doctype html>\n${element('html', { lang: 'en' }, head, body).markup}\n`
}

function block(one: Block): Markup {
  switch (one.block) {
    case 'paragraph':
      return element('p', {}, inline(one.content))
    case 'note':
      return element('p', { class: 'note' }, inline(one.content))
    case 'list':
      return element('ul', {}, ...one.items.map((item) => element('li', {}, inline(item))))
    case 'table':
      return table(one.columns, one.rows)
    case 'figures':
      return element('div', { class: `figures per-${one.perRow}` }, ...one.figures.map(figure))
    case 'predictions':
      return element(
        'div',
        { class: 'predictions' },
        element(
          'p',
          { class: 'note' },
          element('del', {}, 'struck out'),
          ' predicted but wrong, ',
          element('ins', {}, 'underlined'),
          ' missing from the prediction',
        ),
        ...one.predictions.map(prediction),
      )
    case 'settings':
      return settings(one.groups)
    case 'commands':
      return element(
        'dl',
        { class: 'commands' },
        ...one.commands.flatMap(({ about, command }) => [
          element('dt', {}, about),
          element('dd', {}, element('code', {}, command)),
        ]),
      )
  }
}

function inline(content: readonly Inline[]): Markup {
  return join(
    content.map((part) => {
      if (typeof part === 'string') return part
      if ('strong' in part) return element('strong', {}, part.strong)
      if ('code' in part) return element('code', {}, part.code)
      return element('span', { class: 'quiet' }, part.muted)
    }),
  )
}

function figure({ title, caption, drawing }: Figure): Markup {
  const text = [element('b', {}, title), caption ? element('span', {}, caption) : '']
  return element('figure', {}, element('figcaption', {}, ...text), drawing)
}

function table(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Markup {
  const head = [
    ...(columns.some((column) => column.group) ? [groupRow(columns)] : []),
    element('tr', {}, ...columns.map(({ title, align }) => element('th', { class: align, scope: 'col' }, title))),
  ]
  const body = rows.map((row) =>
    element(
      'tr',
      {},
      ...row.map((one, index) =>
        element(
          index === 0 ? 'th' : 'td',
          { class: [columns[index].align, one.tone].filter(Boolean).join(' '), scope: index === 0 ? 'row' : undefined },
          one.text,
          one.below ? element('small', {}, one.below) : '',
        ),
      ),
    ),
  )
  return element(
    'div',
    { class: 'scroll' },
    element('table', {}, element('thead', {}, ...head), element('tbody', {}, ...body)),
  )
}

function groupRow(columns: readonly Column[]): Markup {
  const spans: { group: string; columns: number }[] = []
  for (const { group = '' } of columns) {
    const last = spans.at(-1)
    if (last && last.group === group) last.columns++
    else spans.push({ group, columns: 1 })
  }
  return element(
    'tr',
    { class: 'groups' },
    ...spans.map((span) =>
      span.group
        ? element('th', { colspan: span.columns, scope: 'colgroup' }, span.group)
        : element('td', { colspan: span.columns }),
    ),
  )
}

function prediction({ kind, instruction, action, actual, answers }: Prediction): Markup {
  const row = (name: string, content: Markup, numbers: Markup | string, tone = '') =>
    element(
      'tr',
      { class: tone },
      element('th', { scope: 'row' }, name),
      element('td', {}, content),
      element('td', {}, numbers),
    )
  const lines = answers.map(({ arm, predicted, thinking, distance, reward }) => {
    const text =
      predicted === null
        ? element('span', { class: 'quiet' }, 'no answer that parses')
        : join(wordDifference(predicted, actual).map(markedRun))
    const thought = thinking ? element('small', {}, `thought: ${thinking}`) : ''
    const far = distance === null ? '' : element('small', {}, `distance ${formatNumber(distance)}`)
    const right = reward > 0
    return row(
      arm,
      join([text, thought]),
      join([
        element('span', { class: right ? 'good' : 'quiet' }, `${right ? '✓' : '✗'} reward ${formatNumber(reward)}`),
        far,
      ]),
    )
  })
  return element(
    'article',
    { class: 'prediction' },
    element(
      'p',
      {},
      element('span', { class: 'kind' }, kind),
      element('code', {}, action),
      element('small', {}, instruction),
    ),
    element('table', {}, element('tbody', {}, row('really followed', join([actual]), '', 'actual'), ...lines)),
  )
}

/** White space stays outside the marks, and two marked runs never touch each other. */
function markedRun({ kind, text }: WordRun, index: number, runs: readonly WordRun[]): Markup | string {
  if (kind === 'same') return text
  const space = /^\s/.test(text) || (index > 0 && runs[index - 1].kind !== 'same') ? ' ' : ''
  return join([space, element(kind === 'extra' ? 'del' : 'ins', {}, text.trim())])
}

function settings(groups: Extract<Block, { block: 'settings' }>['groups']): Markup {
  return element(
    'div',
    { class: 'settings' },
    ...groups.map((group) =>
      element(
        'section',
        {},
        element('h3', {}, group.title),
        element(
          'table',
          {},
          element(
            'tbody',
            {},
            ...group.settings.map(({ name, value, source }) =>
              element(
                'tr',
                {},
                element('th', { scope: 'row' }, name),
                element('td', {}, value),
                element('td', {}, element('span', { class: `source ${source}` }, source)),
              ),
            ),
          ),
        ),
      ),
    ),
  )
}
