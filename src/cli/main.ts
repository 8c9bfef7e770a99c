#!/usr/bin/env node
import { INTERRUPTED_STATUS } from './interrupt.ts'
import { reportFailure, runCommandLine } from './program.ts'

// Whoever reads our output may stop reading (`| head`): that is no error of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}

const words = process.argv.slice(2)

// What fails outside of every call that waits for it (a timer or a forgotten promise of an environment) is one line, too.
process.on('uncaughtException', (error) => process.exit(reportFailure(error, words.includes('--debug'))))

await runCommandLine(words)
// All is saved by now: what a service or an environment still owes an answer to is not waited for.
if (process.exitCode === INTERRUPTED_STATUS) process.exit()
