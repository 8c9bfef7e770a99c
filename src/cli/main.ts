#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { UserError } from '../core/index.ts'
import { doctorCommand } from './doctor.ts'
import { envCommand } from './env.ts'
import { importCommand } from './import.ts'
import { playCommand } from './play.ts'
import { quickstartCommand } from './quickstart.ts'
import { reportCommand } from './report.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

// Whoever reads our output may stop reading (`| head`): that is no error of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}

const program = new Command('rwml')
  .description('Reinforcement World Model Learning for LLM agents.')
  .version(version)
  .option('--debug', 'show stack traces')
  .showSuggestionAfterError()

for (const command of [
  quickstartCommand(),
  playCommand(),
  envCommand(),
  importCommand(),
  reportCommand(),
  doctorCommand(),
]) {
  program.addCommand(command)
}

/** Commander's own errors are bad usage (2); a `UserError` says its status; all else is a failure (1). */
function useStatusTwo(command: Command): void {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  command.showHelpAfterError(`(add --help to see what ${command.name()} takes)`)
  for (const child of command.commands) useStatusTwo(child)
}
useStatusTwo(program)

try {
  await program.parseAsync()
} catch (error) {
  const debug = program.opts<{ debug?: boolean }>().debug === true
  const message = error instanceof Error ? error.message : String(error)
  console.error(debug && error instanceof Error ? error.stack : `rwml: ${message}`)
  if (!debug && !(error instanceof UserError)) console.error('rwml: an unexpected error; --debug shows where')
  process.exitCode = error instanceof UserError ? error.exitCode : 1
}
