import { standaloneDrawing } from './charts/standalone.ts'
import type { Block, ReportDocument, Section } from './document.ts'

/** A folder beside the report, in its Markdown and on the disk. */
export const FIGURES_FOLDER = 'figures'

/** The figures of a document as SVG files of their own, those of one block under each other. */
export function figureFiles({ sections }: ReportDocument): { name: string; svg: string }[] {
  return sections.flatMap((section) =>
    section.blocks.flatMap((block) =>
      block.block === 'figures'
        ? [{ name: figureName(section, block), svg: standaloneDrawing(section.title, block.figures) }]
        : [],
    ),
  )
}

/** File of a block of figures. */
export function figureName({ id, blocks }: Section, block: Block): string {
  const figures: Block[] = blocks.filter((one) => one.block === 'figures')
  const at = figures.indexOf(block)
  return at === 0 ? `${id}.svg` : `${id}-${at + 1}.svg`
}
