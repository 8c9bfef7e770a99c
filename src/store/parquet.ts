import { ByteWriter, parquetWrite, type SchemaElement } from 'hyparquet-writer'

/** What a column holds. Whole numbers have 32 bits. */
export type ColumnType = 'text' | 'whole number' | 'yes or no' | { list: ColumnType } | { struct: Columns }
export type Columns = { [name: string]: ColumnType }

/** Rows as a Parquet file (Snappy). Every row has all columns; a column's type is stated, so that a file of no rows has them too. */
export function parquetBytes(columns: Columns, rows: readonly Record<string, unknown>[]): Uint8Array {
  const entries = Object.entries(columns)
  const writer = new ByteWriter()
  parquetWrite({
    writer,
    schema: [
      { name: 'root', num_children: entries.length },
      ...entries.flatMap(([name, type]) => elements(name, type)),
    ],
    columnData: entries.map(([name]) => ({ name, data: rows.map((row) => row[name]) })),
  })
  return new Uint8Array(writer.getBuffer())
}

/** A column in the order in which Parquet lists a tree: itself, then what is in it. */
function elements(name: string, type: ColumnType): SchemaElement[] {
  const column: SchemaElement = { name, repetition_type: 'OPTIONAL' }
  if (type === 'text')
    return [{ ...column, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }]
  if (type === 'whole number') return [{ ...column, type: 'INT32' }]
  if (type === 'yes or no') return [{ ...column, type: 'BOOLEAN' }]
  if ('list' in type) {
    return [
      { ...column, converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elements('element', type.list),
    ]
  }
  const parts = Object.entries(type.struct)
  return [{ ...column, num_children: parts.length }, ...parts.flatMap(([part, of]) => elements(part, of))]
}
