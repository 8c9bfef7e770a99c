import { existsSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { UserError } from '../core/index.ts'
import { modelFolder } from '../methods/index.ts'
import { type RunningServer, startServer } from '../serving/index.ts'
import { RunFolder } from '../store/index.ts'
import { INTERRUPTED_STATUS } from './interrupt.ts'
import { wholeNumber } from './numbers.ts'
import { pathName } from './paths.ts'

interface Options {
  port: number
  threads: number
  name: string[]
  json: boolean
}

function modelName(name: string, earlier: string[]): string[] {
  if (name.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return [...earlier, name]
}

export function serveCommand(): Command {
  return new Command('serve')
    .description('a model behind an OpenAI-compatible HTTP API, for programs on this machine')
    .argument('<model>', 'a model folder, a checkpoint, or a run folder (then its newest checkpoint)', pathName)
    .option('--port <n>', 'port on 127.0.0.1; 0 = any free one', wholeNumber(0, 65535), 8000)
    .option('--threads <n>', 'threads of the engine', wholeNumber(1), availableParallelism())
    .option('--name <name>', 'what requests may call the model (repeatable; default: its folder)', modelName, [])
    .option('--json', 'print one JSON object once it listens', false)
    .addHelpText(
      'after',
      `
Examples:
  rwml serve models/mini
  rwml serve runs/quickstart --port 8080 --name agent`,
    )
    .action(serve)
}

/** The folder to serve: the model's own, or the checkpoint of a run that was written last. */
function servedFolder(path: string): string {
  if (!existsSync(join(path, 'run.json'))) return modelFolder(path)
  const written = (checkpoint: { path: string }) => statSync(join(checkpoint.path, 'model.safetensors')).mtimeMs
  const newest = RunFolder.open(path)
    .checkpoints()
    .toSorted((a, b) => written(a) - written(b))
    .at(-1)
  if (!newest) throw new UserError(`${path} has no checkpoint yet: wait for one, or serve the model it starts from`)
  return newest.path
}

async function serve(path: string, { port, threads, name, json }: Options): Promise<void> {
  const folder = servedFolder(path)
  const log = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)}  ${line}`)
  const server = await startServer({ folder, port, threads, names: name, log })
  const { url, names, contextLength } = server
  console.log(`${folder} as ${names.join(', ')}, context ${contextLength}, at ${url}/v1

  curl ${url}/v1/chat/completions -H 'Content-Type: application/json' \\
    -d '{"model": "${names[0]}", "messages": [{"role": "user", "content": "Hello"}]}'

Ctrl-C ends it.`)
  if (json) console.log(JSON.stringify({ url: `${url}/v1`, models: names, folder, contextLength }))
  process.exitCode = (await untilStopped(server)) ? 0 : INTERRUPTED_STATUS
}

/** The first Ctrl-C lets open requests finish for a moment, a second one ends the process at once. */
async function untilStopped(server: RunningServer): Promise<boolean> {
  await new Promise<void>((resolve) => {
    let stopping = false
    const stop = () => {
      if (stopping) process.exit(INTERRUPTED_STATUS)
      stopping = true
      const open = server.openAnswers()
      console.error(open === 0 ? '\nStopping.' : `\nStopping: ${open} open answers. Ctrl-C again ends at once.`)
      resolve()
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
  return server.close()
}
