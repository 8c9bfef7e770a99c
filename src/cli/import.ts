import { existsSync, readFileSync, statSync } from 'node:fs'
import { Command } from 'commander'
import { shellQuote, type Trajectory, UserError } from '../core/index.ts'
import {
  conversationText,
  HELD_OUT,
  type ImportedLogs,
  importLogs,
  type LogFile,
  summariseLogs,
} from '../environments/index.ts'
import { type ImportRecord, modelFolder, writeImport } from '../methods/index.ts'
import { loadTokenizer } from '../tokens/index.ts'
import { pathName, pathNames, refuseExisting } from './paths.ts'
import { textTable } from './table.ts'

interface Options {
  out: string
  skipBad: boolean
  model?: string
  json: boolean
}

/** Bad lines that are shown one by one. */
const SHOWN = 5

/** `rwml import LOGS… --out RUN`: chat logs as trajectories, stage 1 without an environment. */
export function importCommand(): Command {
  return new Command('import')
    .description('chat logs with tool calls (OpenAI messages) as trajectories to learn from')
    .argument('<logs...>', '.jsonl files, one conversation a line, or .json files with a list', pathNames)
    .requiredOption('--out <dir>', 'folder to make', pathName)
    .option('--skip-bad', 'leave out what cannot be read, and count it', false)
    .option('--model <dir>', 'the model they are for: counts tokens with its tokenizer', pathName)
    .option('--json', 'print the counts as one JSON object on the last line', false)
    .addHelpText(
      'after',
      `
Each line is {"messages": […], "tools"?, "reward"?, "task"? | "id"?, "split"?} or a list of messages (docs/own-logs.md).

Examples:
  rwml import chats.jsonl --out runs/logs
  rwml import monday.jsonl tuesday.jsonl --out runs/logs --skip-bad --model models/qwen`,
    )
    .action(importAction)
}

async function importAction(paths: string[], options: Options): Promise<void> {
  const { out, skipBad, json } = options
  refuseExisting(out)
  const tokenizer = options.model === undefined ? null : loadTokenizer(modelFolder(options.model))
  const logs = importLogs(paths.map(readLog), { skipBad })
  const all = [...logs.splits.values()].flat()
  if (all.length === 0) {
    const bad = logs.bad.length > 0 ? ` and ${logs.bad.length} unreadable` : ''
    throw new UserError(
      `${paths.join(', ')}: ${logs.read} conversations${bad}, and in none does anything follow what the assistant does: nothing to learn from`,
    )
  }
  const lengths = tokenizer ? all.map((one) => tokenizer.encode(conversationText(one)).length) : null
  const tokens = lengths && {
    total: lengths.reduce((a, b) => a + b),
    longest: lengths.reduce((a, b) => Math.max(a, b)),
  }
  const command = ['rwml import', ...paths.map(shellQuote), ...(skipBad ? ['--skip-bad'] : [])].join(' ')
  const record = await writeImport(logs, { out, files: paths, tokens, model: options.model, command })
  console.log(tableOf(all))
  for (const line of notesOf(logs, tokens)) console.log(line)
  console.log(`\nWritten to ${out}. In an experiment: environment: recordedEnvironment(${JSON.stringify(out)})`)
  if (json) console.log(JSON.stringify({ out, ...record }))
}

function readLog(path: string): LogFile {
  if (!existsSync(path))
    throw new UserError(
      `${path} is not there: name .jsonl files with a conversation on each line, or .json files with a list`,
    )
  if (statSync(path).isDirectory())
    throw new UserError(`${path} is a folder: name its files, e.g. ${shellQuote(path)}/*.jsonl`)
  try {
    return { path, content: readFileSync(path) }
  } catch (error) {
    throw new UserError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

/** What follows the assistant's actions, by who answers. */
function tableOf(trajectories: readonly Trajectory[]): string {
  const { kinds, transitions, invalid } = summariseLogs(trajectories)
  const row = (kind: string, counts: { transitions: number; invalid: number; distinct?: number }) => [
    kind,
    String(counts.transitions),
    String(counts.invalid),
    counts.distinct === undefined ? '' : String(counts.distinct),
  ]
  return textTable({
    columns: [
      { header: 'who answers' },
      { header: 'transitions', align: 'right' },
      { header: 'errors', align: 'right' },
      { header: 'different answers', align: 'right' },
    ],
    rows: [...kinds.map(({ kind, ...counts }) => row(kind, counts)), row('all', { transitions, invalid })],
  })
}

function notesOf(
  { splits, read, duplicates, withoutTurns, bad }: ImportedLogs,
  tokens: ImportRecord['tokens'],
): string[] {
  const all = [...splits.values()].flat()
  const { conversations, tasks, rewarded, solved } = summariseLogs(all)
  const perSplit = [...splits]
    .map(([split, some]) => `${split} ${some.length}`)
    .sort()
    .join(', ')
  const defined = new Set(all.flatMap(({ task }) => task.tools?.map(({ name }) => name) ?? []))
  const notes = [
    `\n${read} conversations read, ${conversations} kept (${perSplit}), ${tasks} tasks${rewarded > 0 ? `; ${rewarded} with a reward, ${solved} of them above 0` : ''}.`,
    defined.size > 0
      ? `${defined.size} tools described: ${[...defined].join(', ')}.`
      : 'No tool is described in the logs ("tools"): questions will show names alone.',
  ]
  if (tokens) notes.push(`${tokens.total} tokens, ${tokens.longest} in the longest conversation.`)
  if (duplicates > 0) notes.push(`Left out: ${duplicates} that were there before, word for word.`)
  if (withoutTurns > 0) notes.push(`Left out: ${withoutTurns} in which nothing follows what the assistant does.`)
  if (bad.length > 0) {
    notes.push(`Left out: ${bad.length} that could not be read:`)
    notes.push(...bad.slice(0, SHOWN).map(({ where, why }) => `  ${where}: ${why}`))
    if (bad.length > SHOWN) notes.push(`  … and ${bad.length - SHOWN} more, in import.json`)
  }
  if (!splits.has('train')) notes.push('No conversation is in the split "train": nothing can be trained on these logs.')
  if (!HELD_OUT.some((split) => splits.has(split))) {
    notes.push(
      'No conversation is held out: a run holds a tenth of the tasks out itself. To choose: "split": "unseen" (what logs call "test", "dev" and the like is read as "unseen").',
    )
  }
  return notes
}
