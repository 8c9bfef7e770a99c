import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { loadReportInput, reportDocument, type WrittenReport, writeDocument } from '../reports/index.ts'
import { studyFile, writeStudyReport } from '../studies/index.ts'
import { pathNames } from './paths.ts'

/** `rwml report RUN…`: `report.md` and `report.html` in each run folder, and in folders of studies. */
export function reportCommand(): Command {
  return new Command('report')
    .description('write report.md and report.html into run folders, and into those of studies')
    .argument('<runs...>', 'run folders, or what a study was given as --out', pathNames)
    .option('--figures', 'write each figure into figures/ as SVG, too, and show it in report.md')
    .option('--json', 'print one JSON object with the paths')
    .addHelpText(
      'after',
      '\nExamples:\n  rwml report runs/quickstart\n  rwml report runs/*\n  rwml report runs/study --figures',
    )
    .action((runs: string[], { json, figures }: { json?: boolean; figures?: boolean }) => {
      const written = runs.map((run) =>
        existsSync(studyFile(run)) ? writeStudyReport(run, figures) : writeReport(run, figures),
      )
      if (json) console.log(JSON.stringify({ reports: written }))
      else for (const one of written) console.log([one.markdown, one.html, ...(one.figures ?? [])].join('\n'))
    })
}

/** Build the report of one run and write it. */
export function writeReport(run: string, figures = false): WrittenReport {
  return writeDocument(run, reportDocument(loadReportInput(run)), figures)
}
