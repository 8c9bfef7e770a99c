import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../store/index.ts'
import type { ReportDocument } from './document.ts'
import { FIGURES_FOLDER, figureFiles } from './figureFiles.ts'
import { renderHtml } from './html.ts'
import { renderMarkdown } from './markdown.ts'

/** What was written, beside what it is about. */
export interface WrittenReport {
  run: string
  markdown: string
  html: string
  /** Only where they were asked for. */
  figures?: string[]
}

/** Write `report.md` and `report.html` into a folder, each whole; with `figures`, also an SVG file for each block of them. */
export function writeDocument(folder: string, document: ReportDocument, figures = false): WrittenReport {
  const written: WrittenReport = { run: folder, markdown: join(folder, 'report.md'), html: join(folder, 'report.html') }
  if (figures) {
    mkdirSync(join(folder, FIGURES_FOLDER), { recursive: true })
    written.figures = figureFiles(document).map(({ name, svg }) => {
      const path = join(folder, FIGURES_FOLDER, name)
      writeFileAtomic(path, svg)
      return path
    })
  }
  writeFileAtomic(written.markdown, renderMarkdown(document, figures))
  writeFileAtomic(written.html, renderHtml(document))
  return written
}
