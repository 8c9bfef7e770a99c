/** Python as a referee in tests and benches: never at run time, and whatever it would judge is skipped where it is not. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** `$RWML_PYTHON`, else what `npm run referees` made, else the system's. */
export function refereePython(): string {
  if (process.env.RWML_PYTHON) return process.env.RWML_PYTHON
  const own = join(root, '.venv', 'bin', 'python')
  return existsSync(own) ? own : 'python3'
}

/** Whether that Python can import all of the modules. */
export function refereeHas(...modules: string[]): boolean {
  return spawnSync(refereePython(), ['-c', `import ${modules.join(', ')}`], { stdio: 'ignore' }).status === 0
}

/** A script of `scripts/referee/` run to its end: what it printed, as JSON. */
export function refereeAnswer(script: string, ...args: string[]): unknown {
  const path = join(root, 'scripts', 'referee', script)
  const { status, stdout, stderr, error } = spawnSync(refereePython(), [path, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    timeout: 300_000,
  })
  if (status !== 0) throw new Error(`${script} failed: ${error?.message ?? stderr}`)
  return JSON.parse(stdout)
}
