import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
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
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

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

  it('has the command', () => {
    expect(run('npx', ['rwml', '--help'])).toContain('quickstart')
    expect(run('npx', ['rwml', 'doctor'])).toContain('onnxruntime')
  })
})
