import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { acquireLock, lockHolder } from './lock.ts'
import { RunFolder, type RunInfo } from './run-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'rwml-run-'))
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(root, { recursive: true })
})
let folders = 0
const fresh = () => RunFolder.create(join(root, `run-${folders++}`))

describe('lock', () => {
  const lockFile = (run: RunFolder) => join(run.path, 'run.lock')
  const write = (run: RunFolder, holder: object) =>
    writeFileSync(
      lockFile(run),
      JSON.stringify({ host: hostname(), command: 'rwml quickstart', since: 'earlier', process: null, ...holder }),
    )

  it('is held by one process at a time', () => {
    const run = fresh()
    const lock = run.lock('rwml test')
    expect(() => run.lock('rwml other')).toThrow(
      `${run.path} is in use by process ${process.pid} on ${hostname()} ("rwml test", since ${lock.holder.since}): wait`,
    )
    expect(lockHolder(lockFile(run))).toEqual(lock.holder)
    lock.release()
    expect(lockHolder(lockFile(run))).toBeNull()
    run.lock('rwml test').release()
    expect(existsSync(lockFile(run))).toBe(false)
  })

  it('refuses while the other lives, and takes over when it has died', async () => {
    const run = fresh()
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    children.push(child)
    write(run, { pid: child.pid })
    expect(() => run.lock('rwml test')).toThrow(`process ${child.pid}`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(run.lock('rwml test').holder.pid).toBe(process.pid)
  })

  it('sees through a process number that was given out again', () => {
    const run = fresh()
    write(run, { pid: process.pid, process: 'another boot 1' })
    if (acquireLockOrNull(run) === null) expect(existsSync('/proc/self/stat')).toBe(false)
  })

  const hasProc = existsSync('/proc/self/stat')
  it.skipIf(!hasProc)('sees through a killed process that nobody has reaped, and waits for a stopped one', async () => {
    const run = fresh()
    // The shell becomes a program that never asks after the child it started.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 1000'])
    children.push(parent)
    const [said] = await once(parent.stdout!, 'data')
    const pid = Number(String(said))
    const stateOf = (of: number) => readFileSync(`/proc/${of}/stat`, 'utf8').split(') ')[1][0]
    await expect.poll(() => stateOf(pid), { timeout: 10_000 }).toBe('Z')
    write(run, { pid })
    run.lock('rwml test').release()
    parent.kill('SIGSTOP')
    await expect.poll(() => stateOf(parent.pid!), { timeout: 10_000 }).toBe('T')
    write(run, { pid: parent.pid })
    expect(() => run.lock('rwml test')).toThrow(`process ${parent.pid}`)
  })

  it('clears away what a killed process left half-written, and nothing else', () => {
    const run = fresh()
    const left = ['a.json.1.0123abcd.tmp', 'checkpoints/sft-5.22.0123abcd.tmp', 'run.lock.3.0123abcd.tmp']
    for (const name of [...left, 'theirs.tmp', 'notes/x.1.tmp']) {
      mkdirSync(join(run.path, name, 'inside'), { recursive: true })
    }
    run.lock('rwml test').release()
    expect(readdirSync(run.path).sort()).toEqual(['checkpoints', 'notes', 'theirs.tmp'])
    expect(readdirSync(join(run.path, 'checkpoints'))).toEqual([])
    expect(readdirSync(join(run.path, 'notes'))).toEqual(['x.1.tmp'])
  })

  it('cannot judge another machine, and says what to do', () => {
    const run = fresh()
    write(run, { pid: 1, host: 'elsewhere' })
    expect(() => run.lock('rwml test')).toThrow(/on elsewhere.*delete/)
  })

  it('takes over a lock that cannot be read, and releases only its own', () => {
    const run = fresh()
    writeFileSync(lockFile(run), '')
    const lock = run.lock('rwml test')
    write(run, { pid: process.pid })
    lock.release()
    expect(existsSync(lockFile(run))).toBe(true)
  })

  function acquireLockOrNull(run: RunFolder) {
    try {
      return acquireLock(lockFile(run), 'rwml test')
    } catch {
      return null
    }
  }
})

describe('RunFolder', () => {
  const info: RunInfo = {
    method: 'rwml',
    command: 'rwml quickstart',
    status: 'running',
    seed: 1,
    environment: 'alfworld',
    model: { name: 'mini', parameters: 1, description: '' },
    machine: { cpu: 'x', cores: 2, memory: 1 },
    version: '0',
    node: '20',
    begunWith: { settings: 'abc' },
    startedAt: 'now',
  }

  it('keeps run.json, and opens only what is a run', () => {
    const run = fresh()
    expect(() => RunFolder.open(run.path)).toThrow(/not a run folder/)
    run.writeInfo(info)
    expect(RunFolder.open(run.path).readInfo()).toEqual(info)
    writeFileSync(run.runFile, '{"version":"2"}')
    expect(() => run.readInfo()).toThrow(/run.json.*method/)
  })

  it('lists complete checkpoints in order', () => {
    const run = fresh()
    expect(run.checkpoints()).toEqual([])
    for (const step of [10, 2]) mkdirSync(run.checkpointFolder('policy-rl', step), { recursive: true })
    mkdirSync(run.checkpointFolder('sft', 5))
    mkdirSync(`${run.checkpointFolder('sft', 6)}.1.ab.tmp`)
    expect(run.checkpoints('policy-rl').map((checkpoint) => checkpoint.step)).toEqual([2, 10])
    expect(run.checkpoints().map(({ stage, step }) => `${stage} ${step}`)).toEqual([
      'policy-rl 2',
      'policy-rl 10',
      'sft 5',
    ])
  })
})
