import { parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { type Columns, parquetBytes } from './parquet.ts'

const columns: Columns = {
  name: 'text',
  prompt: { list: { struct: { role: 'text', content: 'text' } } },
  about: { struct: { index: 'whole number', valid: 'yes or no', where: { struct: { room: 'text' } } } },
}

const read = async (bytes: Uint8Array) => parquetReadObjects({ file: bytes.slice().buffer as ArrayBuffer })

describe('parquetBytes', () => {
  it('is read back as it was, nested and empty things included', async () => {
    const rows = [
      {
        name: 'one – ü 語',
        prompt: [
          { role: 'system', content: 'Play.' },
          { role: 'user', content: 'line\nline' },
        ],
        about: { index: 0, valid: true, where: { room: 'attic' } },
      },
      { name: '', prompt: [], about: { index: 7, valid: false, where: { room: '' } } },
      {
        name: 'three',
        prompt: [{ role: 'user', content: 'x'.repeat(100_000) }],
        about: { index: 2 ** 31 - 1, valid: true, where: { room: 'cellar' } },
      },
    ]
    expect(await read(parquetBytes(columns, rows))).toEqual(rows)
  })

  it('has its columns where there are no rows', async () => {
    expect(await read(parquetBytes(columns, []))).toEqual([])
  })
})
