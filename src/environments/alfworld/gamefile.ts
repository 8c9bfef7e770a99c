import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { plainIssue, UserError } from '../../core/index.ts'
import { compileGame, type Game } from './game.ts'
import { parseProblem } from './problem.ts'
import { RULES, selectRules } from './rules.ts'
import { builtinHelp } from './texts.ts'

/** Name of the file in a trial's folder that holds the game. */
export const GAME_FILE = 'game.tw-pddl'

const common = {
  pddl_problem: z.string(),
  solvable: z.boolean().optional(),
  walkthrough: z.array(z.string()).nullish(),
}
/** A game of an upstream release: it carries its own domain and grammar. */
const upstreamFile = z.object({ ...common, pddl_domain: z.string(), grammar: z.string() })
/** A generated game: the built-in rules by name, and the task line that upstream keeps in the grammar. */
const generatedFile = z.object({ ...common, rules: z.enum(['2.1.2', '2.1.1']), task: z.string() })

export type GeneratedFile = z.infer<typeof generatedFile>
/** What `game.tw-pddl` holds, checked. */
export type GameFile = GeneratedFile | z.infer<typeof upstreamFile>

const TASK_LINE = 'Your task is to: '

/** The task line of a grammar: what the intro states after `Your task is to: `, full stop included. */
function taskLineIn(grammar: string): string | undefined {
  const at = grammar.indexOf(TASK_LINE)
  const end = grammar.indexOf('"', at)
  if (at < 0 || end < 0) return undefined
  return grammar.slice(at + TASK_LINE.length, end).replace(/\\n/g, '\n')
}

const RAW_TASK_LINE = /Your task is to: ((?:[^"\\]|\\[^"])*)\\"/
const RAW_TASK_KEY = /"task"\s*:\s*"((?:[^"\\]|\\.)*)"/

/** The same, found in the raw text of a game file (where quotes are escaped once more) without parsing it. */
export function taskLineInFile(text: string): string | undefined {
  const inGrammar = RAW_TASK_LINE.exec(text)
  const key = inGrammar ? null : RAW_TASK_KEY.exec(text)
  try {
    if (inGrammar) return taskLineIn(JSON.parse(`"${TASK_LINE}${inGrammar[1]}\\""`) as string)
    return key ? `${JSON.parse(`"${key[1]}"`)}.` : undefined
  } catch {
    // Not the inside of a JSON string: the file is damaged there.
    return undefined
  }
}

/** A task line as an instruction: without the final full stop. */
export function withoutStop(line: string): string {
  return line.endsWith('.') ? line.slice(0, -1) : line
}

/** The help text of a grammar. Upstream strips white space at the start of a template string, not at its end. */
function helpInGrammar(grammar: string): string | undefined {
  const text = /action help\s*\{[^"]*"help"\s*;\s*feedback\s*::\s*"([^"]*)"/.exec(grammar)?.[1]
  return text?.trimStart()
}

/** What to do about a file that is not what it should be. */
const REMEDY = 'fetch or generate the game again'

/** @throws UserError naming the field that is wrong. */
function checkGameFile(text: string): GameFile {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new UserError(`not JSON, or cut off; a ${GAME_FILE} is one JSON object: ${REMEDY}`)
  }
  const upstream = typeof json === 'object' && json !== null && ('pddl_domain' in json || 'grammar' in json)
  const parsed = (upstream ? upstreamFile : generatedFile).safeParse(json)
  if (parsed.success) return parsed.data
  throw new UserError(
    `${plainIssue(parsed.error.issues[0])}; a ${GAME_FILE} needs the keys pddl_problem and either pddl_domain and grammar (ALFWorld) or rules and task (generated): ${REMEDY}`,
  )
}

/**
 * Check and compile the text of a `game.tw-pddl`.
 * @param id names the game in tasks and traces.
 * @param where names it in errors.
 * @throws UserError naming the game and what is wrong with it.
 */
export function readGame(text: string, id: string, warn: (message: string) => void = () => {}, where = id): Game {
  try {
    const file = checkGameFile(text)
    const problem = parseProblem(file.pddl_problem)
    const walkthrough = file.walkthrough ?? undefined
    if ('rules' in file) {
      const rules = RULES[file.rules]
      return compileGame({ id, rules, problem, taskLine: `${file.task}.`, help: builtinHelp(rules), walkthrough })
    }
    const { rules, warning } = selectRules(file.pddl_domain, file.grammar)
    if (warning) warn(warning)
    const taskLine = taskLineIn(file.grammar)
    if (taskLine === undefined) throw new UserError('the grammar has no line "Your task is to: …"')
    const help = rules.help ? (helpInGrammar(file.grammar) ?? builtinHelp(rules)) : ''
    return compileGame({ id, rules, problem, taskLine, help, walkthrough })
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`${where}: ${error.message}`)
    throw error
  }
}

/** Read one game from disk. */
export function loadGame(path: string, id: string = path, warn?: (message: string) => void): Game {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const reason = (error as Error).message.split(',')[0]
    throw new UserError(`cannot read the game ${path}: ${reason}; name a ${GAME_FILE} or the folder of a trial`)
  }
  return readGame(text, id, warn, path)
}
