/** Python as a referee in tests and benches: never at run time, and whatever it would judge is skipped where it is not. */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

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
export async function refereeAnswer(script: string, ...args: string[]): Promise<unknown> {
  const path = join(root, 'scripts', 'referee', script)
  try {
    // Not waited for with the thread held: test runners take a silent one for dead.
    const { stdout } = await promisify(execFile)(refereePython(), [path, ...args], {
      maxBuffer: 2 ** 26,
      timeout: 900_000,
      // PyTorch's threads spin while they wait for each other: beside other tests that takes four times as long.
      env: { OMP_WAIT_POLICY: 'passive', ...process.env },
    })
    return JSON.parse(stdout)
  } catch (error) {
    throw new Error(`${script} failed: ${(error as Error).message}`)
  }
}
