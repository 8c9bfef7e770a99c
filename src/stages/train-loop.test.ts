import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { UserError } from '../core/index.ts'
import type { Trainer } from '../engines/index.ts'
import { makeFolder, RunFolder } from '../store/index.ts'
import type { StageContext } from './context.ts'
import { trainLoop } from './train-loop.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-loop-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A context whose trainer only makes the folders of its checkpoints. */
function context(): StageContext {
  const trainer: Partial<Trainer> = {
    loadWeights: async () => {},
    load: async () => {},
    save: async (path) => makeFolder(path),
  }
  return {
    run: RunFolder.create(folder),
    trainer,
    signal: new AbortController().signal,
    progress: { start() {}, update() {}, finish() {} },
    log() {},
    rewind() {},
  } as unknown as StageContext
}

const loop = (fails: (step: number) => unknown) => ({
  stage: 'policy-rl',
  title: 'policy RL',
  start: 'base',
  steps: 30,
  reference: false,
  async step(step: number) {
    const error = fails(step)
    if (error) throw error
    return { reward: 0 }
  },
  note: () => '',
})

it('says at which step of which stage something went wrong, and what there is before it', async () => {
  const diverged = (at: number) => (step: number) => step === at && new UserError('the loss is not finite')
  await expect(trainLoop(context(), loop(diverged(3)))).rejects.toThrow(
    'policy RL, step 4: the loss is not finite (there is no checkpoint of it yet)',
  )
  const later = trainLoop(context(), loop(diverged(24)))
  await expect(later).rejects.toThrow(
    /policy RL, step 25: the loss is not finite \(the last checkpoint is .*policy-rl-20\)/,
  )
  await expect(later).rejects.toBeInstanceOf(UserError)
  // It goes on from there.
  const seen: number[] = []
  await trainLoop(
    context(),
    loop((step) => void seen.push(step)),
  )
  expect(seen[0]).toBe(20)
  expect(seen.at(-1)).toBe(29)
})

it('leaves what is no mistake of the user as it is', async () => {
  rmSync(join(folder, 'checkpoints'), { recursive: true })
  const bug = new TypeError('x is undefined')
  await expect(
    trainLoop(
      context(),
      loop(() => bug),
    ),
  ).rejects.toBe(bug)
})
