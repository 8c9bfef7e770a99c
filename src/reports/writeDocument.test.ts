import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { reportDocument } from './report.ts'
import { fixtureInput } from './testing/fixture.ts'
import { writeDocument } from './writeDocument.ts'

const folder = mkdtempSync(join(tmpdir(), 'report-'))
afterEach(() => rmSync(folder, { recursive: true }))

test('figures stand in files of their own, each shown once in the Markdown', () => {
  const document = reportDocument(fixtureInput())
  const { markdown, figures = [] } = writeDocument(folder, document, true)
  expect(readdirSync(folder).sort()).toEqual(['figures', 'report.html', 'report.md'])
  const blocks = document.sections.flatMap(({ blocks }) => blocks.filter(({ block }) => block === 'figures'))
  expect(blocks.length).toBeGreaterThan(2)
  expect(new Set(figures).size).toBe(blocks.length)
  const shown = [...readFileSync(markdown, 'utf8').matchAll(/!\[.*?\]\((.*?)\)/g)].map(([, path]) => join(folder, path))
  expect(shown).toEqual(figures)
  for (const path of figures) expect(readFileSync(path, 'utf8')).toMatch(/^<svg xmlns=.*<\/svg>\n$/s)

  const { figures: none } = writeDocument(folder, document)
  expect(none).toBeUndefined()
  expect(readFileSync(markdown, 'utf8')).not.toContain('![')
})
