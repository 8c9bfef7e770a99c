/**
 * `npm run referees [-- --minutes 10] [--torch] [--write]`: a Python of our own in `.venv/`, with what tests and benches
 * compare us with. Says what it could not get; tests that would need it are then skipped. `--torch` adds PyTorch and transformers
 * (gigabytes).
 * `--write` has the referees answer anew, into the reference values beside the tests.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { refereeAnswer, refereeHas, refereePython } from '../src/core/testing/python.ts'
import { writeFileAtomic } from '../src/store/index.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    torch: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const minutes = Number(values.minutes)
if (!(minutes > 0)) {
  console.error(`--minutes must be a number above 0, not ${values.minutes}`)
  process.exit(2)
}
const root = join(import.meta.dirname, '..')
const venv = join(root, '.venv')
const deadline = Date.now() + minutes * 60_000

/** Whether it ended well before the deadline; its output is shown. */
function attempt(command: string, ...args: string[]): boolean {
  const left = deadline - Date.now()
  return left > 0 && spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: left }).status === 0
}

if (!existsSync(join(venv, 'bin', 'python')) && !attempt('python3', '-m', 'venv', venv)) {
  console.error('could not make .venv: is python3 with its venv module installed?')
  process.exit(1)
}
const wanted = ['numpy', 'scipy', 'statsmodels', ...(values.torch ? ['torch', 'transformers'] : [])]
const missing = wanted.filter((name) => {
  return !refereeHas(name) && !attempt(refereePython(), '-m', 'pip', 'install', '--quiet', name)
})
console.log(`${refereePython()} has ${wanted.filter((name) => !missing.includes(name)).join(', ') || 'nothing'}`)
if (missing.length > 0) {
  console.log(`could not get ${missing.join(', ')} within ${minutes} min: what needs it is skipped`)
}
if (values.write) {
  const answer = refereeAnswer('statistical_tests.py', '0')
  writeFileAtomic(join(root, 'src', 'core', 'testing', 'statistics.reference.json'), `${JSON.stringify(answer)}\n`)
  console.log('wrote src/core/testing/statistics.reference.json')
}
