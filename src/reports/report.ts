import type { ReportDocument } from './document.ts'
import { formatLarge, formatMemory, plural } from './format.ts'
import { renderHtml } from './html.ts'
import type { ReportInput } from './input.ts'
import { renderMarkdown } from './markdown.ts'
import { conductSection } from './sections/conduct.ts'
import { configurationSection } from './sections/configuration.ts'
import { costSection } from './sections/cost.ts'
import { curvesSection } from './sections/curves.ts'
import { filterSection } from './sections/filter.ts'
import { forgettingSection } from './sections/forgetting.ts'
import { nextSection } from './sections/next.ts'
import { paperSection } from './sections/paperComparison.ts'
import { predictionsSection } from './sections/predictions.ts'
import { resolutionSection } from './sections/resolution.ts'
import { resultsSection } from './sections/results.ts'
import { rewardSection } from './sections/reward.ts'
import { stepsSection } from './sections/steps.ts'
import { taskKindsSection } from './sections/taskKinds.ts'
import { weightsSection } from './sections/weights.ts'
import { worldModelSection } from './sections/worldModel.ts'
import { verdict } from './verdict.ts'

/** The report of one run, as Markdown and as one HTML page that needs nothing else. Pure: the same input, the same text. */
export function buildReport(input: ReportInput): { markdown: string; html: string } {
  const document = reportDocument(input)
  return { markdown: renderMarkdown(document), html: renderHtml(document) }
}

export function reportDocument(input: ReportInput): ReportDocument {
  const { run } = input
  return {
    title: run.name,
    verdict: verdict(input),
    facts: [
      `method ${run.method}`,
      `environment ${run.environment}`,
      `model ${run.model.name}, ${formatLarge(run.model.parameters)} parameters: ${run.model.description}`,
      `seed ${run.seed}`,
      ...(run.engine === undefined ? [] : [`trained as ${run.engine}`]),
      `${run.machine.cpu}, ${plural(run.machine.cores, 'core')}, ${formatMemory(run.machine.memory)}`,
      `started ${run.startedAt}`,
      `rwml ${run.version}`,
    ],
    sections: [
      resultsSection(input),
      resolutionSection(input),
      curvesSection(input),
      worldModelSection(input),
      paperSection(input),
      predictionsSection(input),
      taskKindsSection(input),
      stepsSection(input),
      conductSection(input),
      forgettingSection(input),
      filterSection(input),
      weightsSection(input),
      costSection(input),
      rewardSection(input),
      configurationSection(input),
      nextSection(input),
    ].filter((section) => section !== null),
  }
}
