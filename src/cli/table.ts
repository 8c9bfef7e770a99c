export interface Column {
  header: string
  /** Numbers read best on the right. Default left. */
  align?: 'left' | 'right'
}

export interface Table {
  columns: Column[]
  /** Cells as they are to be shown, one a column. */
  rows: string[][]
}

/** Columns padded to one width, two spaces between, a line under the header. For terminals. */
export function textTable(table: Table): string {
  const cells = [headers(table), ...table.rows.map((row) => checked(table, row).map(oneLine))]
  const widths = columnWidths(table, cells)
  const lines = cells.map((row) =>
    row
      .map((cell, index) => pad(table, cell, index, widths[index]))
      .join('  ')
      .trimEnd(),
  )
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n')
}

/** The same as a Markdown table, which also reads well as text. */
export function markdownTable(table: Table): string {
  const escapeCell = (cell: string) => oneLine(cell).replaceAll('|', '\\|')
  const cells = [headers(table), ...table.rows.map((row) => checked(table, row))].map((row) => row.map(escapeCell))
  const widths = columnWidths(table, cells).map((width) => Math.max(3, width))
  const lines = cells.map(
    (row) => `| ${row.map((cell, index) => pad(table, cell, index, widths[index])).join(' | ')} |`,
  )
  const rule = table.columns.map(({ align }, index) => {
    return align === 'right' ? `${'-'.repeat(widths[index] - 1)}:` : '-'.repeat(widths[index])
  })
  return [lines[0], `| ${rule.join(' | ')} |`, ...lines.slice(1)].join('\n')
}

function headers(table: Table): string[] {
  return table.columns.map((column) => column.header)
}

function checked(table: Table, row: string[]): string[] {
  if (row.length === table.columns.length) return row
  throw new Error(`a table of ${table.columns.length} columns has a row of ${row.length} cells`)
}

function oneLine(cell: string): string {
  return cell.replace(/\s*\n\s*/g, ' ')
}

/** Characters, not UTF-16 units. */
function widthOf(cell: string): number {
  return [...cell].length
}

function columnWidths(table: Table, cells: string[][]): number[] {
  return table.columns.map((_, index) => Math.max(...cells.map((row) => widthOf(row[index]))))
}

function pad(table: Table, cell: string, index: number, width: number): string {
  const space = ' '.repeat(width - widthOf(cell))
  return table.columns[index].align === 'right' ? space + cell : cell + space
}
