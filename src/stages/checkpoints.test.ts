import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeFolder, RunFolder, writeChecksums } from '../store/index.ts'
import { latestCheckpoint } from './checkpoints.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-checkpoints-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('takes the newest checkpoint, and where it is damaged says which file and what is good', () => {
  const run = RunFolder.create(folder)
  expect(latestCheckpoint(run, 'policy-rl')).toBeNull()
  for (const step of [20, 40, 60]) {
    const path = run.checkpointFolder('policy-rl', step)
    makeFolder(path)
    writeFileSync(join(path, 'model.safetensors'), `weights ${step}`)
    writeChecksums(path)
  }
  expect(latestCheckpoint(run, 'policy-rl')?.step).toBe(60)
  const damage = (step: number) =>
    writeFileSync(join(run.checkpointFolder('policy-rl', step), 'model.safetensors'), 'other')
  damage(60)
  damage(40)
  expect(() => latestCheckpoint(run, 'policy-rl')).toThrow(
    /policy-rl-60 is damaged: model\.safetensors is not what was saved; delete .*policy-rl-60, .*policy-rl-40, and --resume goes on from .*policy-rl-20, which is good/,
  )
  damage(20)
  expect(() => latestCheckpoint(run, 'policy-rl')).toThrow(/--resume begins the stage again/)
})
