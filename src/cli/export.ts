import { join } from 'node:path'
import { Command, Option } from 'commander'
import { EXPORT_FORMATS, type ExportFormat, exportRun } from '../methods/index.ts'
import { loadExperiment } from './experiment-file.ts'
import { pathName, refuseExisting } from './paths.ts'
import { textTable } from './table.ts'

interface Options {
  format: ExportFormat
  out: string
  experiment?: string
  json: boolean
}

/** `rwml export RUN --format … --out DIR`: what a run has to teach, for another trainer. */
export function exportCommand(): Command {
  return new Command('export')
    .description(
      'a run’s prompts with their truth for another trainer: Parquet and JSONL in the columns of verl or TRL',
    )
    .argument('<run>', 'run folder that has finished collecting, or imported logs', pathName)
    .addOption(new Option('--format <format>', 'whose columns').choices(EXPORT_FORMATS).makeOptionMandatory())
    .requiredOption('--out <dir>', 'folder to make', pathName)
    .option(
      '--experiment <file>',
      'experiment file of the run, where its environment or agent is given in code',
      pathName,
    )
    .option('--json', 'print what was written as one JSON object on the last line', false)
    .addHelpText(
      'after',
      `
One file a split and use: what training may see is never in a file with what is held out (docs/other-trainers.md).

Examples:
  rwml export runs/quickstart --format verl --out data/verl
  rwml export runs/mine --format trl --out data/trl --experiment experiment.ts`,
    )
    .action(async (run: string, { format, out, experiment, json }: Options) => {
      refuseExisting(out)
      const { agent, environment } = experiment === undefined ? {} : await loadExperiment(experiment)
      const record = await exportRun({ run, format, out, agent, environment })
      const rows = record.files.map(({ file, rows }) => [join(out, file), String(rows)])
      console.log(textTable({ columns: [{ header: 'file' }, { header: 'rows', align: 'right' }], rows }))
      for (const note of record.notes) console.log(`Note: ${note}.`)
      if (json) console.log(JSON.stringify(record))
    })
}
