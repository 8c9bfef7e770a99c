import { join } from 'node:path'
import { Command } from 'commander'
import { diagnose } from '../methods/index.ts'
import { diagnosisDocument, renderMarkdown } from '../reports/index.ts'
import { writeFileAtomic } from '../store/index.ts'
import { documentText } from './document-text.ts'
import { wholeNumber } from './numbers.ts'
import { pathName } from './paths.ts'
import { Progress } from './progress.ts'

interface Options {
  predictions?: number
  threads?: number
  json: boolean
}

/** `rwml diagnose RUN`: is this worth world-model RL? Prints what it finds and writes it to `diagnose.md`. */
export function diagnoseCommand(): Command {
  return new Command('diagnose')
    .description('is a collected run worth world-model RL? Predictability, reward, group variance, cost')
    .argument('<run>', 'run folder that has finished collecting', pathName)
    .option(
      '--predictions <n>',
      'groups of predictions to draw (default: some where the filter has not run)',
      wholeNumber(),
    )
    .option('--threads <n>', 'threads to draw them with (default: all cores)', wholeNumber(1, 1024))
    .option('--json', 'print the findings as one JSON object on the last line', false)
    .addHelpText('after', '\nExamples:\n  rwml diagnose runs/quickstart\n  rwml diagnose runs/logs --predictions 100')
    .action(async (run: string, { predictions, threads, json }: Options) => {
      const say = (message: string) => console.error(message)
      const diagnosis = await diagnose({ run, predictions, threads, progress: new Progress(), say })
      const document = diagnosisDocument(diagnosis)
      const path = join(run, 'diagnose.md')
      writeFileAtomic(path, renderMarkdown(document))
      console.log(`${documentText(document)}\n\nWritten to ${path}`)
      if (json) console.log(JSON.stringify(diagnosis))
    })
}
