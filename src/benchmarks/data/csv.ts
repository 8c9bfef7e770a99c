import { UserError } from '../../core/index.ts'

/**
 * Rows of comma-separated values with a header (RFC 4180): quoted fields may hold commas, line breaks and doubled quotes.
 * @throws UserError for a quote that is never closed, or a row of another length than the header.
 */
export function parseCsv(text: string, source: string): Record<string, string>[] {
  const [header, ...rows] = records(text.replace(/^\uFEFF/, ''), source)
  if (!header) throw new UserError(`${source} is empty: it needs a line of column names`)
  return rows.map((row, index) => {
    if (row.length !== header.length) {
      throw new UserError(
        `${source}, row ${index + 1}: ${row.length} fields, but ${header.length} columns; is a quote missing?`,
      )
    }
    return Object.fromEntries(header.map((name, at) => [name, row[at]]))
  })
}

function records(text: string, source: string): string[][] {
  const all: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let field: string
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1)
      if (end < 0) throw new UserError(`${source}, row ${all.length}: a quote is never closed`)
      field = text.slice(at + 1, end).replaceAll('""', '"')
      at = end + 1
    } else {
      const end = text.slice(at).search(/[,\r\n]/)
      field = end < 0 ? text.slice(at) : text.slice(at, at + end)
      at += field.length
    }
    row.push(field)
    if (text[at] === ',') {
      at++
      // A comma at the very end is followed by one more field, an empty one.
      if (at < text.length) continue
      row.push('')
    }
    if (row.length > 1 || row[0] !== '') all.push(row)
    row = []
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
  }
  return all
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at
  return -1
}
