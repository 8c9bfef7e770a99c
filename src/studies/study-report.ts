import { plural, type ReportDocument, type WrittenReport, writeDocument } from '../reports/index.ts'
import { loadStudyResults, type StudyResults } from './results.ts'
import { ablationsSection } from './sections/ablations.ts'
import { accuracySection } from './sections/accuracy.ts'
import { claimsSection } from './sections/claims.ts'
import { comparisonsSection, inShort } from './sections/comparisons.ts'
import { costSection } from './sections/cost.ts'
import { curvesSection } from './sections/curves.ts'
import { forgettingSection } from './sections/forgetting.ts'
import { expertResults, mainResults } from './sections/main-results.ts'
import { methodsSection } from './sections/methods.ts'
import { strengthSection } from './sections/strength.ts'
import { weightsSection } from './sections/weights.ts'

/** The report of a study: the paper's tables and figures for the user's own runs. Pure: the same results, the same text. */
export function studyDocument(results: StudyResults): ReportDocument {
  const { study, records } = results
  const distinct = (values: readonly string[]) => [...new Set(values)].join('; ')
  const wanted = new Set(study.arms.flatMap(({ world, seeds }) => seeds.map((seed) => `${world} ${seed}`))).size
  return {
    title: `${study.name}: ${plural(study.arms.length, 'arm')}, ${plural(study.seeds.length, 'seed')}`,
    verdict: inShort(results),
    facts: [
      `environment ${distinct(records.map(({ environment }) => environment))}`,
      `model ${distinct(records.map(({ model }) => model.name))}`,
      `${records.length} of ${plural(wanted, 'run')} finished`,
      distinct(records.map(({ machine }) => machine)),
      `begun ${study.registeredAt}`,
      `rwml ${distinct(records.map(({ version }) => version))}`,
    ],
    sections: [
      mainResults(results),
      comparisonsSection(results),
      claimsSection(results),
      expertResults(results),
      ablationsSection(results),
      forgettingSection(results),
      weightsSection(results),
      strengthSection(results),
      curvesSection(results),
      accuracySection(results),
      costSection(results),
      methodsSection(results),
    ],
  }
}

/** Write the report into a study's folder, from what lies there. @throws UserError where no run has finished */
export function writeStudyReport(out: string, figures = false): WrittenReport {
  return writeDocument(out, studyDocument(loadStudyResults(out)), figures)
}
