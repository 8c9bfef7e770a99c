import type { Block, Inline, ReportDocument } from '../reports/index.ts'
import { textTable } from './table.ts'

/** A document of paragraphs, lists and tables for the terminal: plain text, no colours. */
export function documentText(document: ReportDocument): string {
  const parts = [
    document.title,
    `${inlineText(document.verdict).toUpperCase()}  (${document.facts.join(' · ')})`,
    ...document.sections.map(({ title, blocks }) => `${title}\n\n${blocks.map(blockText).join('\n\n')}`),
  ]
  return parts.join('\n\n')
}

function blockText(block: Block): string {
  switch (block.block) {
    case 'paragraph':
    case 'note':
      return wrapped(inlineText(block.content), '  ')
    case 'list':
      return block.items.map((item) => wrapped(inlineText(item), '  - ', '    ')).join('\n')
    case 'table': {
      const columns = block.columns.map(({ title, align }) => ({ header: title, align }))
      const rows = block.rows.map((row) => row.map(({ text }) => text))
      return textTable({ columns, rows }).replace(/^/gm, '  ')
    }
    default:
      throw new Error(`a terminal cannot show ${block.block}`)
  }
}

function inlineText(content: readonly Inline[]): string {
  return content
    .map((part) => {
      if (typeof part === 'string') return part
      return 'strong' in part ? part.strong : 'code' in part ? part.code : part.muted
    })
    .join('')
}

const WIDTH = 100

/** Lines of at most about a hundred characters, broken at spaces. */
function wrapped(text: string, first: string, next = first): string {
  const lines: string[] = []
  let line = first
  for (const word of text.split(' ')) {
    const start = lines.length === 0 ? first : next
    if (line !== start && line.length + word.length + 1 > WIDTH) {
      lines.push(line)
      line = next
    }
    line += line === first || line === next ? word : ` ${word}`
  }
  return [...lines, line].join('\n')
}
