import { existsSync, statSync } from 'node:fs'
import { basename, extname, relative, resolve } from 'node:path'
import { createJiti } from 'jiti'
import { UserError } from '../core/index.ts'
import { checkExperiment, type Experiment } from '../methods/index.ts'
import { checkStudy, type Study } from '../studies/index.ts'

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs']

/** Longest wait for a file that does something before it exports its experiment, milliseconds. */
const DEADLINE = 120_000

/** The experiment that a file exports by default, or by the name `experiment`. @throws UserError naming the file */
export async function loadExperiment(file: string): Promise<Experiment> {
  return checkExperiment(await exportOf(file, 'experiment', 'defineConfig'), file)
}

/** The study that a file exports by default, or by the name `study`. @throws UserError naming the file */
export async function loadStudy(file: string): Promise<Study> {
  return checkStudy(await exportOf(file, 'study', 'defineStudy'), file)
}

/**
 * What a file exports by default, or by the name of its kind. TypeScript is read as it is, in any folder; `import … from 'rwml'` gives
 * the file this very package, whether or not it is installed beside it.
 * @throws UserError naming the file, and the line where it has one.
 */
async function exportOf(file: string, kind: string, written: string): Promise<unknown> {
  const path = resolve(file)
  const article = /^[aeiou]/.test(kind) ? 'an' : 'a'
  if (!existsSync(path) || !statSync(path).isFile()) {
    throw new UserError(`${file} is no file: give ${article} ${kind} file (${EXTENSIONS.join(', ')})`, 2)
  }
  if (!EXTENSIONS.includes(extname(path))) {
    throw new UserError(`${file} is no ${kind} file: its name must end in ${EXTENSIONS.join(', ')}`, 2)
  }
  const jiti = createJiti(import.meta.url, {
    virtualModules: { rwml: await import('../index.ts') },
    interopDefault: false,
    fsCache: false,
  })
  let module: Record<string, unknown>
  try {
    module = await withDeadline(jiti.import<Record<string, unknown>>(path), file)
  } catch (error) {
    throw error instanceof UserError ? error : loadingError(error, file)
  }
  const found = module.default ?? module[kind]
  if (found === undefined) {
    const names = Object.keys(module)
    const near = names.length > 0 ? `, but ${names.join(', ')}` : ''
    throw new UserError(`${file} exports no ${kind}${near}: write "export default ${written}({ … })"`, 2)
  }
  return found
}

/** Name of the file without folder and extension: its default run folder is called so. */
export function experimentName(file: string): string {
  return basename(file, extname(file))
}

/** What a file threw as one line, with the place in it. */
function loadingError(error: unknown, file: string): UserError {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  const text = message.split('\n')[0].trim()
  const place = /([^\s()]+?):(\d+):\d+/.exec(message.includes('\n') ? message : stack)
  const where = place && !place[1].includes('node:') ? ` (${relative('.', place[1]) || file}, line ${place[2]})` : ''
  const advice = /^Cannot find (module|package)/.test(text) ? ': install it, or mend the path' : ''
  const failure = new UserError(`${file} could not be loaded: ${text}${where}${advice}`)
  failure.stack = stack
  return failure
}

async function withDeadline<T>(work: Promise<T>, file: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `${file} did not finish loading within ${DEADLINE / 1000} s: does it await something that never comes?`
    timer = setTimeout(() => reject(new UserError(message)), DEADLINE)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
