import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'rwml-package-'))
// The library for the CPU is inside the package; without this its install step looks for more on the network.
const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' }
const run = (command: string, args: string[], cwd = folder): string =>
  execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 240_000 })

function registryAnswers(): boolean {
  try {
    run('npm', ['view', 'zod', 'version'])
    return true
  } catch {
    return false
  }
}

/** What `npm install rwml` gives a stranger: packed, installed in an empty folder, and used from a program and the shell. */
describe.skipIf(!registryAnswers())('the packed tarball', () => {
  beforeAll(() => {
    run('npm', ['pack', '--pack-destination', folder], root)
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) as string
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    run('npm', ['install', '--no-audit', '--no-fund', `./${tarball}`])
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)

  it('is importable, and its engine samples from the shipped model', () => {
    writeFileSync(
      join(folder, 'program.mjs'),
      `import { alfworldEnvironment, alfworldTranscript, loadChatFormat, modelFolder, openLocalEngine, playWave } from 'rwml'
const environment = alfworldEnvironment({ generate: { size: 'small', counts: { train: 2 } } })
const folder = modelFolder('models/mini')
const engine = await openLocalEngine(folder, { threads: 1 })
const played = await playWave(environment.tasks('train').map((task) => ({ task, sample: 0 })), {
  environment, agent: alfworldTranscript, format: loadChatFormat(folder), sampler: engine.trainer().sampler(),
  seed: 1, temperature: 1, maxSteps: 3, maxTokens: 40,
})
await engine.close()
console.log(played.map((one) => one.turns.length).join(' '))`,
    )
    expect(run('node', ['program.mjs'])).toMatch(/^\d \d$/m)
  })

  it('runs an environment of its user, given in TypeScript', () => {
    copyFileSync(join(root, 'examples', '02-own-environment.ts'), join(folder, 'experiment.ts'))
    const small = {
      'collect.tasks': 8,
      'collect.rollouts': 1,
      'collect.maxSteps': 4,
      'collect.filterShare': 0.25,
      'filter.draws': 2,
      'worldModel.batch': 4,
      'worldModel.groupSize': 4,
      'worldModel.maxSteps': 1,
      'policy.tasks': 2,
      'policy.groupSize': 2,
      'policy.steps': 1,
      'policy.maxSteps': 4,
      'evaluate.tasks': 2,
      'evaluate.runs': 1,
      'evaluate.maxSteps': 4,
      'evaluate.transitions': 8,
    }
    const settings = Object.entries(small).flatMap(([name, value]) => ['--set', `${name}=${value}`])
    const printed = run('npx', ['rwml', 'run', 'experiment.ts', '--json', ...settings])
    expect(JSON.parse(printed.trim().split('\n').at(-1)!)).toMatchObject({
      out: 'runs/experiment',
      // Policy RL is left out where so few and short episodes are all alike.
      arms: expect.arrayContaining(['base', 'after world-model RL']),
    })
    expect(readFileSync(join(folder, 'runs', 'experiment', 'report.md'), 'utf8')).toContain('glued room')
  })

  it('has types: a right file passes, a mistyped setting does not', () => {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck']
    run('node', [compiler, ...options, 'experiment.ts'])
    writeFileSync(
      join(folder, 'wrong.ts'),
      "import { defineConfig } from 'rwml'\nexport default defineConfig({ settings: { policy: { stepz: 3 } } })",
    )
    expect(() => run('node', [compiler, ...options, 'wrong.ts'])).toThrow(/Command failed/)
  })

  it('has the command', () => {
    expect(run('npx', ['rwml', '--help'])).toContain('quickstart')
    expect(run('npx', ['rwml', 'doctor'])).toContain('onnxruntime')
  })
})
