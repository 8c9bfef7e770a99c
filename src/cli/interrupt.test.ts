import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { INTERRUPTED_STATUS } from './interrupt.ts'

const root = resolve(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'rwml-interrupt-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Answers no step: as a service does that takes its time. It keeps the process alive for longer than the test waits. */
const SLOW = `
import { defineConfig } from 'rwml'
const environment = {
  name: 'slow',
  splits: () => ['train'],
  tasks: () => [1, 2].map((id) => ({ id: String(id), split: 'train', kind: 'wait', instruction: 'wait' })),
  open: () => ({
    initial: { from: 'environment', text: 'You are in the middle of a room.' },
    step() {
      console.log('asked')
      return new Promise((resolve) => setTimeout(resolve, 600_000))
    },
  }),
}
export const experiment = defineConfig({ environment, method: 'react', settings: { model: { threads: 1 } } })
`

it('ends with Ctrl-C where an environment still owes an answer', async () => {
  const file = join(folder, 'slow.ts')
  writeFileSync(file, SLOW)
  const words = ['--import', 'tsx', join(root, 'src/cli/main.ts'), 'run', file, '--out', join(folder, 'run')]
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (data) => {
    errors += data
  })
  child.stdout.once('data', () => child.kill('SIGINT'))
  try {
    expect(await new Promise((ended) => child.on('close', ended))).toBe(INTERRUPTED_STATUS)
    expect(errors).toMatch(/Saved\. Go on with: /)
  } finally {
    child.kill('SIGKILL')
  }
}, 60_000)
