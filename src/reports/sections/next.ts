import type { Section } from '../document.ts'
import type { ReportInput } from '../input.ts'

/** Commands to go on with, ready to be pasted. */
export function nextSection({ run }: ReportInput): Section {
  const folder = shellQuote(run.folder)
  const seed = run.seed + 1
  const withSeed = `${/^rwml run\b/.test(run.command) ? '--set seed=' : '--seed '}${seed}`
  return {
    id: 'next',
    title: 'How to go on',
    blocks: [
      {
        block: 'commands',
        commands: [
          { about: 'Resume this run where it stopped', command: `npx ${run.command} --out ${folder} --resume` },
          { about: 'Evaluate again', command: `npx rwml evaluate ${folder}` },
          { about: 'Look at its rollouts and curves in the browser', command: `npx rwml view ${folder}` },
          {
            about: 'The same from another seed: one run is not a result',
            command: `npx ${run.command} ${withSeed} --out ${shellQuote(`${run.folder}-seed-${seed}`)}`,
          },
          { about: 'Compare methods over seeds', command: 'npx rwml study study.ts' },
          { about: 'Your own environment, model or method', command: 'npx rwml run experiment.ts --dry' },
        ],
      },
    ],
  }
}

/** A path as one word of a POSIX shell. */
function shellQuote(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
