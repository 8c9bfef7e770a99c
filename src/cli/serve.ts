import { availableParallelism } from 'node:os'
import { Command, InvalidArgumentError } from 'commander'
import { keyIn } from '../services/index.ts'
import { startServer } from '../serving/index.ts'
import { INTERRUPTED_STATUS } from './interrupt.ts'
import { wholeNumber } from './numbers.ts'
import { pathName, TRAINED_FOLDER, trainedFolder } from './paths.ts'
import { KEY_VARIABLE } from './serve-key.ts'
import { serveRewardCommand } from './serve-reward.ts'
import { untilStopped } from './until-stopped.ts'

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
    .argument('<model>', TRAINED_FOLDER, pathName)
    .option('--port <n>', 'port on 127.0.0.1; 0 = any free one', wholeNumber(0, 65535), 8000)
    .option('--threads <n>', 'threads of the engine', wholeNumber(1), availableParallelism())
    .option('--name <name>', 'what requests may call the model (repeatable; default: its folder)', modelName, [])
    .option('--json', 'print one JSON object once it listens', false)
    .addHelpText(
      'after',
      `
Examples:
  rwml serve models/mini
  rwml serve runs/quickstart --port 8080 --name agent
  rwml serve reward runs/quickstart

Every program on this machine is answered; with a key in the environment variable ${KEY_VARIABLE}, those that send it.`,
    )
    .addCommand(serveRewardCommand())
    .action(serve)
}

async function serve(path: string, { port, threads, name, json }: Options): Promise<void> {
  const folder = trainedFolder(path)
  const log = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)}  ${line}`)
  const key = keyIn(KEY_VARIABLE)
  const server = await startServer({ folder, port, threads, names: name, key, log })
  const { url, names, contextLength } = server
  console.log(`${folder} as ${names.join(', ')}, context ${contextLength}, at ${url}/v1

  curl ${url}/v1/chat/completions -H 'Content-Type: application/json'${key === null ? '' : ` -H "Authorization: Bearer $${KEY_VARIABLE}"`} \\
    -d '{"model": "${names[0]}", "messages": [{"role": "user", "content": "Hello"}]}'

Ctrl-C ends it.`)
  if (json) console.log(JSON.stringify({ url: `${url}/v1`, models: names, folder, contextLength }))
  process.exitCode = (await untilStopped(server.close, server.openAnswers, 'answers')) ? 0 : INTERRUPTED_STATUS
}
