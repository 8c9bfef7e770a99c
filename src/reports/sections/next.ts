import { shellQuote } from '../../core/index.ts'
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
          ...(run.status === 'finished'
            ? []
            : [{ about: 'Resume this run where it stopped', command: `npx ${run.command} --out ${folder} --resume` }]),
          { about: 'Write this report again', command: `npx rwml report ${folder}` },
          {
            about: 'The same from another seed: one run is not a result',
            command: `npx ${run.command} ${withSeed} --out ${shellQuote(`${run.folder}-seed-${seed}`)}`,
          },
          ...(/^alfworld\b/.test(run.environment)
            ? [{ about: 'Play a household yourself', command: 'npx rwml play alfworld' }]
            : []),
        ],
      },
    ],
  }
}
