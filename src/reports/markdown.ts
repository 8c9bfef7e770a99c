import type { Block, Cell, Inline, Prediction, ReportDocument, Section } from './document.ts'
import { FIGURES_FOLDER, figureName } from './figureFiles.ts'
import { formatNumber } from './format.ts'
import { type WordRun, wordDifference } from './wordDifference.ts'

/** The report as GitHub-flavoured Markdown; `figures`: with pictures, which stand in files of their own beside it. */
export function renderMarkdown(document: ReportDocument, figures = false): string {
  const picture = (section: Section, one: Block) =>
    figures && one.block === 'figures'
      ? [`![${escapeMarkdown(section.title)}](${FIGURES_FOLDER}/${figureName(section, one)})`]
      : []
  const parts = [
    `# ${escapeMarkdown(document.title)}`,
    inline(document.verdict),
    document.facts.map(escapeMarkdown).join(' · '),
    ...document.sections.flatMap((section) => [
      `## ${escapeMarkdown(section.title)}`,
      ...section.blocks.flatMap((one) => [...picture(section, one), block(one)]),
    ]),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** Outside text as one line of plain Markdown text: nothing in it is read as markup. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/[\\`*_[\]|#~>]/g, '\\$&')
    .replace(
      /^(\s*)([-+]|\d+[.)])(?=\s)/,
      (_, space: string, mark: string) => `${space}${mark.slice(0, -1)}\\${mark.slice(-1)}`,
    )
}

function block(one: Block): string {
  switch (one.block) {
    case 'paragraph':
    case 'note':
      return inline(one.content)
    case 'list':
      return one.items.map((item) => `- ${inline(item)}`).join('\n')
    case 'table':
      return table(one.columns, one.rows)
    case 'figures':
      return one.text.map(block).join('\n\n')
    case 'predictions':
      return [
        '~~Struck out~~: predicted but wrong; **bold**: missing from the prediction.',
        ...one.predictions.map(prediction),
      ].join('\n\n')
    case 'settings':
      return table(
        [
          { title: 'Setting', align: 'left' },
          { title: 'value', align: 'left' },
          { title: 'source', align: 'left' },
        ],
        one.groups.flatMap((group) =>
          group.settings.map(({ name, value, source }) => [
            { text: group.title === 'general' ? name : `${group.title}.${name}` },
            { text: value },
            { text: source },
          ]),
        ),
      )
    case 'commands':
      return one.commands.map(({ about, command }) => `${escapeMarkdown(about)}:\n\n${fenced(command)}`).join('\n\n')
  }
}

function table(
  columns: readonly { title: string; align: 'left' | 'right'; group?: string }[],
  rows: readonly (readonly Cell[])[],
): string {
  const heading = columns.map(({ title, group }) => escapeMarkdown(group ? `${group}: ${title}` : title))
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(heading),
    line(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...rows.map((row) => line(row.map(tableCell))),
  ].join('\n')
}

function tableCell({ text, below, tone }: Cell): string {
  const main = tone === 'strong' && text !== '' ? `**${escapeMarkdown(text)}**` : escapeMarkdown(text)
  return below ? `${main}<br>${escapeMarkdown(below)}` : main
}

function inline(content: readonly Inline[]): string {
  return content
    .map((part) => {
      if (typeof part === 'string') return escapeMarkdown(part)
      if ('strong' in part) return `**${escapeMarkdown(part.strong)}**`
      if ('code' in part) return codeSpan(part.code)
      return escapeMarkdown(part.muted)
    })
    .join('')
}

function codeSpan(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ')
  const fence = '`'.repeat(1 + longestRun(line))
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return line === '' ? '' : `${fence}${padding}${line}${padding}${fence}`
}

function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, 1 + longestRun(text)))
  return `${fence}sh\n${text}\n${fence}`
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
}

function prediction({ kind, instruction, action, actual, answers }: Prediction): string {
  return [
    `**${escapeMarkdown(kind)}** ${codeSpan(action)} (${escapeMarkdown(instruction)})`,
    `- really: ${escapeMarkdown(actual)}`,
    ...answers.map(({ arm, predicted, distance, reward, thinking }) => {
      const text =
        predicted === null ? 'no answer that parses' : wordDifference(predicted, actual).map(markedRun).join('')
      const thought = thinking ? ` (thought: ${escapeMarkdown(thinking)})` : ''
      const far = distance === null ? '' : `distance ${formatNumber(distance)}, `
      return `- ${escapeMarkdown(arm)}: ${text.trim()} (${far}reward ${formatNumber(reward)})${thought}`
    }),
  ].join('\n')
}

/** Emphasis marks must touch a word, so white space stays outside; two marked runs never touch each other. */
function markedRun({ kind, text }: WordRun, index: number, runs: readonly WordRun[]): string {
  const space = /^\s/.test(text) || (kind !== 'same' && index > 0 && runs[index - 1].kind !== 'same') ? ' ' : ''
  const words = escapeMarkdown(text.trim())
  if (kind === 'same' || words === '') return `${space}${words}`
  return kind === 'extra' ? `${space}~~${words}~~` : `${space}**${words}**`
}
