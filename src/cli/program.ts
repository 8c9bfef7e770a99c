import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { Command, CommanderError } from 'commander'
import { UserError, withoutSecrets } from '../core/index.ts'
import { benchmarkCommand } from './benchmark.ts'
import { diagnoseCommand } from './diagnose.ts'
import { doctorCommand } from './doctor.ts'
import { envCommand } from './env.ts'
import { evaluateCommand } from './evaluate.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { modelCommand } from './model.ts'
import { playCommand } from './play.ts'
import { quickstartCommand } from './quickstart.ts'
import { reportCommand } from './report.ts'
import { runCommand } from './run.ts'
import { serveCommand } from './serve.ts'
import { studyCommand } from './study.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The whole command line. Parsing it never ends the process: what commander has to say is thrown as a `CommanderError`. */
export function buildProgram(): Command {
  const program = new Command('rwml')
    .description('Reinforcement World Model Learning for LLM agents.')
    .version(version)
    .option('--debug', 'show stack traces')
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      `
Examples:
  rwml quickstart                        the whole method on small households, in minutes
  rwml run experiment.ts --dry           what your own experiment would do
  rwml study study.ts --dry              methods × seeds × settings, and what they could show
  rwml diagnose runs/quickstart          whether it is worth the training
  rwml report runs/quickstart            tables and figures of a run

rwml help <command> says more of each.`,
    )
  program.addCommand(quickstartCommand())
  program.addCommand(runCommand())
  program.addCommand(studyCommand())
  program.addCommand(evaluateCommand())
  program.addCommand(serveCommand())
  program.addCommand(playCommand())
  program.addCommand(envCommand())
  program.addCommand(importCommand())
  program.addCommand(exportCommand())
  program.addCommand(modelCommand())
  program.addCommand(benchmarkCommand())
  program.addCommand(reportCommand())
  program.addCommand(diagnoseCommand())
  program.addCommand(doctorCommand())
  throwErrors(program)
  return program
}

function throwErrors(command: Command): void {
  command.exitOverride()
  command.showHelpAfterError(`(add --help to see what ${command.name()} takes)`)
  for (const child of command.commands) throwErrors(child)
}

/**
 * Runs the command line in `words` (without node and script) and sets the process's exit code: 0 done, 1 failed, 2 bad usage,
 * 130 interrupted. Every failure is one line on standard error, with a stack trace only after `--debug`. Never throws.
 */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  const program = buildProgram()
  try {
    await program.parseAsync([...words], { from: 'user' })
  } catch (error) {
    process.exitCode = reportFailure(error, program.opts<{ debug?: boolean }>().debug === true)
  }
}

/** Says what went wrong and returns the exit code for it. */
export function reportFailure(error: unknown, debug: boolean): number {
  // Commander has said it already; help and version count as done.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  // One line, whatever the text of a damaged file brought into the message.
  const message = (error instanceof Error ? error.message : String(error)).trim().replace(/\s*[\r\n]+\s*/g, ' ')
  // Inspected, it shows the cause too: where in somebody's environment it began.
  console.error(withoutSecrets(debug ? inspect(error) : `rwml: ${message}`))
  if (error instanceof UserError) return error.exitCode
  if (!debug) console.error('rwml: an unexpected error; --debug shows where')
  return 1
}
