import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { buildReport, loadReportInput } from '../reports/index.ts'
import { writeFileAtomic } from '../store/index.ts'
import { studyFile, writeStudyReport } from '../studies/index.ts'
import { pathNames } from './paths.ts'

/** `rwml report RUN…`: `report.md` and `report.html` in each run folder, and in folders of studies. */
export function reportCommand(): Command {
  return new Command('report')
    .description('write report.md and report.html into run folders, and into those of studies')
    .argument('<runs...>', 'run folders, or what a study was given as --out', pathNames)
    .option('--json', 'print one JSON object with the paths')
    .addHelpText('after', '\nExamples:\n  rwml report runs/quickstart\n  rwml report runs/*')
    .action((runs: string[], { json }: { json?: boolean }) => {
      const written = runs.map((run) => (existsSync(studyFile(run)) ? writeStudyReport(run) : writeReport(run)))
      if (json) console.log(JSON.stringify({ reports: written }))
      else for (const { markdown, html } of written) console.log(`${markdown}\n${html}`)
    })
}

/** Build the report of one run and write both files whole; returns their paths. */
export function writeReport(run: string): { run: string; markdown: string; html: string } {
  const report = buildReport(loadReportInput(run))
  const paths = { run, markdown: join(run, 'report.md'), html: join(run, 'report.html') }
  writeFileAtomic(paths.markdown, report.markdown)
  writeFileAtomic(paths.html, report.html)
  return paths
}
