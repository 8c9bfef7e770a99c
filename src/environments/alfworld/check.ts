import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { plainIssue, UserError } from '../../core/index.ts'
import { findDataFolder } from './folder.ts'
import { GAME_FILE, loadGame } from './gamefile.ts'
import { onlyOnce } from './games.ts'
import { Play } from './play.ts'

const shown = { obs: z.string(), admissible: z.array(z.string()) }
/** One recorded episode: what upstream answered to a list of commands. */
const trace = z.object({
  game: z.string(),
  version: z.string(),
  initial: z.object(shown),
  steps: z.array(z.object({ ...shown, action: z.string(), score: z.number(), won: z.boolean(), done: z.boolean() })),
})
export type Trace = z.infer<typeof trace>

export interface TraceDifference {
  file: string
  line: number
  game: string
  /** 0 is the initial observation, 1 the first command. */
  step: number
  action: string | null
  field: string
  expected: unknown
  got: unknown
}

export interface TraceCheck {
  episodes: number
  steps: number
  /** Traces of another release than the data's. */
  skipped: number
  differences: number
  stepsPerSecond: number
  first: TraceDifference | null
}

/**
 * Replay recorded episodes against the games of a data folder and compare observation, admissible commands, score, won and
 * done at every step. An episode counts at most one difference: after it, the rest would only repeat it.
 * Nothing checked at all (`episodes` 0) is a failure too; `assertSame` says so.
 * @throws UserError when a file is unreadable or a game of the data's own release is missing.
 */
export function checkTraces(
  dataFolder: string,
  traceFiles: string[],
  warn: (message: string) => void = () => {},
): TraceCheck {
  const warnOnce = onlyOnce(warn)
  const folder = findDataFolder(dataFolder)
  const check: TraceCheck = { episodes: 0, steps: 0, skipped: 0, differences: 0, stepsPerSecond: 0, first: null }
  let milliseconds = 0
  let release: string | undefined
  for (const file of traceFiles) {
    for (const { trace, line } of readTraces(file)) {
      const path = join(folder, trace.game)
      const game = existsSync(path) ? loadGame(path, trace.game, warnOnce) : undefined
      release ??= game?.rules.version ?? releaseOf(folder)
      if ((game?.rules.version ?? release) !== trace.version) {
        check.skipped++
        continue
      }
      if (!game) throw new UserError(`${file}:${line}: the game ${trace.game} is not in ${folder}`)
      check.episodes++
      check.steps += trace.steps.length
      const started = performance.now()
      const difference = firstDifference(new Play(game), trace)
      milliseconds += performance.now() - started
      if (!difference) continue
      check.differences++
      check.first ??= { file, line, game: trace.game, ...difference }
    }
  }
  check.stepsPerSecond = milliseconds > 0 ? Math.round(check.steps / (milliseconds / 1000)) : 0
  return check
}

/** @throws UserError when something differed, or nothing was checked. */
export function assertSame({ episodes, skipped, differences, first }: TraceCheck): void {
  if (episodes + skipped === 0) throw new UserError('nothing was checked: the trace files hold no episode')
  if (episodes === 0) {
    throw new UserError(
      `nothing was checked: ${skipped} traces are of another release than the data, none of the same; give traces and data of one release`,
    )
  }
  if (differences > 0) {
    throw new UserError(
      `${differences} of ${episodes} episodes differ, the first at step ${first?.step} of ${first?.game}`,
    )
  }
}

/** The release of the first game found in a data folder. @throws UserError when it holds none. */
function releaseOf(folder: string): string {
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (basename(entry) === GAME_FILE) return loadGame(join(folder, entry), entry).rules.version
  }
  throw new UserError(`there is no ${GAME_FILE} below ${folder}: nothing to check the traces against`)
}

function* readTraces(file: string): Generator<{ trace: Trace; line: number }> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserError(`cannot read the traces ${file}: ${(error as Error).message.split(',')[0]}`)
  }
  for (const [index, row] of text.split('\n').entries()) {
    if (!row.trim()) continue
    let json: unknown
    try {
      json = JSON.parse(row)
    } catch {
      throw new UserError(`${file}:${index + 1}: not JSON, or cut off; a trace file holds one JSON object a line`)
    }
    const parsed = trace.safeParse(json)
    if (!parsed.success) {
      throw new UserError(`${file}:${index + 1}: no trace: ${plainIssue(parsed.error.issues[0])}`)
    }
    yield { trace: parsed.data, line: index + 1 }
  }
}

type Difference = Omit<TraceDifference, 'file' | 'line' | 'game'>

function firstDifference(play: Play, trace: Trace): Difference | null {
  const compare = (step: number, action: string | null, pairs: [string, unknown, unknown][]): Difference | null => {
    for (const [field, expected, got] of pairs) {
      const same = Array.isArray(expected) && Array.isArray(got) ? sameList(expected, got) : expected === got
      if (!same) return { step, action, field, expected, got }
    }
    return null
  }
  const { initial } = trace
  let difference = compare(0, null, [
    ['obs', initial.obs, play.initial],
    ['admissible', initial.admissible, play.admissible()],
  ])
  for (const [index, step] of trace.steps.entries()) {
    if (difference) break
    const { observation, won } = play.step(step.action)
    difference = compare(index + 1, step.action, [
      ['obs', step.obs, observation],
      ['admissible', step.admissible, play.admissible()],
      ['score', step.score, won ? 1 : 0],
      ['won', step.won, won],
      ['done', step.done, won],
    ])
  }
  return difference
}

function sameList(a: unknown[], b: unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}
