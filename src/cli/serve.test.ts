import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { MINI, writeRandomModel } from '../serving/testing/model.ts'
import { runCommandLine } from './program.ts'

const root = resolve(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'rwml-cli-serve-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Started {
  process: ChildProcess
  url: string
  models: string[]
  errors(): string
  exit: Promise<number | null>
}

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

/** The command in a process of its own, once it listens. */
function start(...words: string[]): Promise<Started> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(root, 'src/cli/main.ts'), 'serve', '--json', ...words],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  running.push(child)
  let output = ''
  let errors = ''
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  child.stderr?.on('data', (data) => {
    errors += data
  })
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (data) => {
      output += data
      const line = /^\{.*\}$/m.exec(output)
      if (line) resolve({ process: child, exit, errors: () => errors, ...JSON.parse(line[0]) })
    })
    void exit.then((code) => reject(new Error(`ended with ${code}: ${errors}`)))
  })
}

/** Exit code and what was said of a command line that fails at once. */
async function fail(...words: string[]): Promise<{ code: typeof process.exitCode; said: string }> {
  const said: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line) => void said.push(String(line)))
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  await runCommandLine(['serve', ...words])
  const code = process.exitCode
  process.exitCode = undefined
  vi.restoreAllMocks()
  return { code, said: said.join('\n') }
}

describe('rwml serve', () => {
  let long: string
  beforeAll(async () => {
    long = await writeRandomModel()
  }, 120_000)
  afterAll(() => rmSync(dirname(long), { recursive: true }))

  it('serves the newest checkpoint of a run until Ctrl-C', async () => {
    const run = join(folder, 'run')
    mkdirSync(join(run, 'checkpoints'), { recursive: true })
    writeFileSync(join(run, 'run.json'), '{}')
    for (const [name, age] of [
      ['world-model-rl-40', 10],
      ['policy-rl-20', 5],
    ] as const) {
      const checkpoint = join(run, 'checkpoints', name)
      cpSync(MINI, checkpoint, { recursive: true })
      utimesSync(join(checkpoint, 'model.safetensors'), Date.now() / 1000 - age, Date.now() / 1000 - age)
    }
    const server = await start(run, '--port', '0')
    expect(server.models).toEqual(['policy-rl-20'])
    expect((await fetch(`${server.url}/models`)).status).toBe(200)
    server.process.kill('SIGINT')
    expect(await server.exit).toBe(0)
    expect(server.errors()).toContain('Stopping.')
    await expect(fetch(`${server.url}/models`)).rejects.toThrow()
  })

  it('ends at once at the second Ctrl-C, with an answer open', async () => {
    const server = await start(long, '--port', '0', '--name', 'long', '--name', 'other')
    expect(server.models).toEqual(['long', 'other'])
    const body = JSON.stringify({ model: 'other', prompt: 'look', max_tokens: 1000, n: 100, stream: true })
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${server.url}/completions`, { method: 'POST', headers, body })
    const reader = answer.body!.getReader()
    await reader.read()
    server.process.kill('SIGINT')
    while (!server.errors().includes('Stopping: 100 open answers')) await new Promise((go) => setTimeout(go, 10))
    server.process.kill('SIGINT')
    // Now and then the native runtime does not survive being taken down in the middle of a pass, and a signal ends it.
    expect([130, null]).toContain(await server.exit)
    await reader.cancel().catch(() => undefined)
  })

  it('says in one line what is wrong', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => other.once('listening', listening))
    const { port } = other.address() as { port: number }
    expect(await fail(MINI, '--port', String(port), '--threads', '1')).toEqual({
      code: 1,
      said: `rwml: port ${port} is in use on 127.0.0.1: give another with --port, or --port 0 for any free one`,
    })
    other.close()

    const empty = join(folder, 'empty')
    mkdirSync(empty)
    const missing = await fail(empty)
    expect(missing).toMatchObject({ code: 1, said: expect.stringMatching(/^rwml: no model at .*empty: .*$/) })
    writeFileSync(join(empty, 'run.json'), '{}')
    const unfinished = await fail(empty)
    expect(unfinished).toMatchObject({ code: 1, said: expect.stringMatching(/^rwml: .*has no checkpoint yet: .*$/) })
    for (const words of [[], [''], [MINI, '--port', '70000'], [MINI, '--threads', '0'], [MINI, '--name', ' ']]) {
      expect(await fail(...words)).toMatchObject({ code: 2, said: expect.stringMatching(/^error: /) })
    }
  })
})

describe('docs/serve.md', () => {
  const page = readFileSync(join(root, 'docs', 'serve.md'), 'utf8')
  const blocks = (language: string) =>
    [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map((match) => match[1])
  const hasCurl = spawnSync('curl', ['--version']).status === 0

  let server: Started
  let address: string
  beforeAll(async () => {
    server = await start(MINI, '--port', '0')
    address = new URL(server.url).origin
    running.length = 0
  }, 120_000)
  afterAll(() => server.process.kill('SIGKILL'))

  it('has a program that works', () => {
    const [program] = blocks('js').map((code) => code.replaceAll('http://127.0.0.1:8000', address))
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(output).toMatch(/^<thinking>(.*) \d+\n<thinking>\1/)
  })

  it.skipIf(!hasCurl)('has curl lines that work', () => {
    const commands = blocks('sh').map((code) => code.replaceAll('http://127.0.0.1:8000', address))
    expect(commands).toHaveLength(2)
    const [chat, scores] = commands.map((command) =>
      JSON.parse(execFileSync('sh', ['-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
    )
    expect(chat.choices[0].message.content).toMatch(/^<thinking>/)
    expect(scores.choices[0]).toMatchObject({ text: 'go to drawer 1', finish_reason: 'length' })
    expect(scores.choices[0].logprobs.token_logprobs).toEqual([null, expect.any(Number)])
  })
})
