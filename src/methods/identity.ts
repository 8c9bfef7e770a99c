import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../agents/index.ts'
import { type Transition, UserError } from '../core/index.ts'
import { weightFiles } from '../engines/index.ts'
import { HELD_OUT } from '../environments/index.ts'
import type { Config, Stage } from '../stages/index.ts'
import { hashOf, updateFromFile } from '../store/index.ts'
import type { Method } from './method.ts'
import type { Parts } from './parts.ts'

/**
 * What a run hangs on, a hash by name: a run goes on only with what it began with, and says by name what is another now. How an
 * environment answers cannot be told from outside; of that, some recorded episodes are played again (`checkReplay`).
 */
export function identityOf(config: Config, method: Method, parts: Parts): Record<string, string> {
  const { environment, agent, baseModel, threads, engine } = parts
  const splits = ['train', ...HELD_OUT.filter((split) => environment.splits().includes(split))]
  return {
    settings: hashOf(config),
    method: hashOf(method.stages.map(({ name, options }) => ({ name, options }))),
    'model (weights or tokenizer)': modelHash(baseModel, engine === undefined),
    ...Object.fromEntries(method.stages.flatMap(readFromElsewhere)),
    // What is computed elsewhere does not hang on this machine.
    ...(engine ? { engine: hashOf(engine.identity) } : { 'number of threads': hashOf(threads) }),
    // Who is computed together with whom moves the last digits.
    ...(environment.concurrent && { 'number of episodes at once': hashOf(environment.concurrent) }),
    ...Object.fromEntries(splits.map((split) => [`set of tasks in "${split}"`, hashOf(environment.tasks(split))])),
    [AGENT]: agentHash(agent),
  }
}

/** What a run calls the hash of its agent. */
export const AGENT = 'agent (its prompts)'

/** An agent is known by how it asks. */
export function agentHash(agent: Agent): string {
  return hashOf({
    name: agent.name,
    play: agent.playMessages(EXAMPLE),
    predict: [true, false].map((reasoning) => agent.predictMessages(EXAMPLE, { reasoning })),
  })
}

const say = (text: string) => ({ from: 'environment' as const, text })
const ACTION = { kind: 'text' as const, text: 'act' }

/** Any transition. */
const EXAMPLE: Transition = {
  id: '',
  taskId: '',
  taskKind: '',
  instruction: 'instruction',
  initial: say('initial'),
  history: [{ reply: 'reply', action: ACTION, observation: say('observation') }],
  action: ACTION,
  next: say('next'),
  valid: true,
}

/** What a stage reads that is not of the run: a model folder that it starts from, files. */
function readFromElsewhere({ name, options, files = [] }: Stage): [string, string][] {
  const { from } = options
  const isFolder = typeof from === 'string' && existsSync(join(from, 'config.json'))
  const started: [string, string][] = isFolder
    ? [[`model at ${from}, from which ${name} starts`, modelHash(from, true)]]
    : []
  return [
    ...started,
    ...files.map((path): [string, string] => [`file ${path}, which ${name} reads`, fileHash(path, name)]),
  ]
}

function fileHash(path: string, stage: string): string {
  if (!existsSync(path) || !statSync(path).isFile()) {
    throw new UserError(`${path}, which the stage ${stage} reads, is no file: mend its name`)
  }
  const hash = createHash('sha256')
  updateFromFile(hash, path)
  return hash.digest('hex')
}

/** Without its weights where they are an engine's elsewhere. */
function modelHash(folder: string, weights: boolean): string {
  const hash = createHash('sha256')
  const named = (name: string) => join(folder, name)
  const texts = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja']
  for (const path of [named('config.json'), ...(weights ? weightFiles(folder) : []), ...texts.map(named)])
    if (existsSync(path)) updateFromFile(hash, path)
  return hash.digest('hex')
}
