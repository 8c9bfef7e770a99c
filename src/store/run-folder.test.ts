import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
    expect(() => run.lock('rwml test')).toThrow(`in use by process ${process.pid} on ${hostname()}`)
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
    configHash: 'abc',
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
