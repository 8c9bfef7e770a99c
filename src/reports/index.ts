export { heatMap } from './charts/heatMap.ts'
export { intervalChart } from './charts/intervalChart.ts'
export { lineChart } from './charts/lineChart.ts'
export { colourOf } from './charts/palette.ts'
export { standaloneDrawing } from './charts/standalone.ts'
export { diagnosisDocument } from './diagnosis.ts'
export {
  type Block,
  type Cell,
  cell,
  type Figure,
  type Inline,
  left,
  type ReportDocument,
  right,
  type Section,
  type Tone,
} from './document.ts'
export { formatDifference, formatLarge, formatSeconds, plural } from './format.ts'
export { renderHtml } from './html.ts'
export * from './input.ts'
export * from './load.ts'
export { renderMarkdown } from './markdown.ts'
export { changeOf, formatDetectable, formatEstimate, measuresOf } from './measures.ts'
export { PAPER_ABLATIONS, PAPER_FIGURES, PAPER_FORGETTING, type PaperRow, ROW_OF_CHAIN } from './paper.ts'
export * from './report.ts'
export { stageFileSchema } from './runFiles.ts'
export { configurationSection } from './sections/configuration.ts'
export { bestBaseline } from './verdict.ts'
export { MAP_TITLES, weightMap } from './weightMap.ts'
export { type WrittenReport, writeDocument } from './writeDocument.ts'
