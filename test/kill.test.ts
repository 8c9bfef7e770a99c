import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstDifference, runHash } from '../scripts/kill/compare.ts'
import { CLOCK_JUMPS, Subject } from '../scripts/kill/process.ts'
import { KINDS, type Profile, plan, reference, trial } from '../scripts/kill/trial.ts'
import { readSafetensors, writeSafetensors } from '../src/store/index.ts'

const root = mkdtempSync(join(tmpdir(), 'rwml-kill-'))
const undisturbed = join(root, 'undisturbed')
const mounted: string[] = []
let profile: Profile

beforeAll(async () => {
  profile = await reference(undisturbed)
}, 600_000)
afterAll(() => {
  for (const folder of mounted.reverse()) execFileSync('umount', [folder])
  rmSync(root, { recursive: true, force: true })
})

const mount = (folder: string, options: string) => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', folder], { stdio: 'ignore' })
  mounted.push(folder)
}
const unmount = (folder: string) => {
  execFileSync('umount', [folder])
  mounted.splice(mounted.indexOf(folder), 1)
}
const canMount = (() => {
  const folder = join(root, 'probe')
  mkdirSync(folder)
  try {
    mount(folder, 'size=4k')
    unmount(folder)
    return true
  } catch {
    return false
  }
})()

describe('the comparison of two runs', () => {
  /** Part of the undisturbed run: checkpoints are large, and one of them is as good as all. */
  const [original, copy] = [join(root, 'original'), join(root, 'copy')]
  const checkpoint = 'checkpoints/policy-rl-22'
  beforeAll(() => {
    const isWanted = (path: string) => !path.includes('checkpoints/') || path.includes(checkpoint)
    cpSync(undisturbed, original, { recursive: true, filter: isWanted })
    cpSync(original, copy, { recursive: true })
  })

  /** The first difference after a change to the copy, which is then undone. */
  function changed(name: string, change: (path: string) => void): string | null {
    const path = join(copy, name)
    change(path)
    try {
      expect(runHash(copy) === runHash(original)).toBe(firstDifference(original, copy) === null)
      return firstDifference(original, copy)
    } finally {
      rmSync(path, { force: true })
      if (existsSync(join(original, name))) cpSync(join(original, name), path)
    }
  }
  const edit = (from: RegExp, to: string) => (path: string) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))

  it('overlooks times, and nothing else', () => {
    expect(changed('metrics.jsonl', edit(/"time":\d+/, '"time":1'))).toBeNull()
    expect(changed('run.json', edit(/"startedAt": "[^"]*"/, '"startedAt": "x"'))).toBeNull()
    expect(changed('metrics.jsonl', edit(/"loss":(-?)\d/, '"loss":$17'))).toMatch(/^metrics\.jsonl line 1: expected/)
    expect(changed('metrics.jsonl', (path) => appendFileSync(path, '{}\n'))).toMatch(/^metrics\.jsonl line/)
    expect(changed('filtered.jsonl', (path) => rmSync(path))).toBe('filtered.jsonl is missing')
    expect(changed('x.1.0123abcd.tmp', (path) => writeFileSync(path, ''))).toMatch(/^x\.1\..* should not be there$/)
    expect(changed('rollouts/policy-rl-0003.jsonl', edit(/"seed":\d/, '"seed":'))).toMatch(/^rollouts\/policy-rl-0003/)
    expect(changed('stages/filter/stage.json', edit(/true/, 'false'))).toMatch(/^stages\/filter\/stage\.json/)
  })

  it.each(['model.safetensors', 'optimizer.safetensors'])('sees the last bit of a number in %s', (name) => {
    const flip = (path: string) => {
      const { tensors, metadata } = readSafetensors(path)
      const [{ data }] = tensors.values()
      new Uint32Array(data.buffer, data.byteOffset, 1)[0] ^= 1
      writeSafetensors(path, tensors, { metadata })
    }
    expect(changed(`${checkpoint}/${name}`, flip)).toMatch(`${checkpoint}/${name} tensor`)
  })
})

describe('a run', () => {
  const SEED = 0

  it('killed in every stage and resumed, with a clock that jumps, leaves what an undisturbed one does', async () => {
    const out = join(root, 'killed')
    expect(new Set(plan(SEED).map(({ kind }) => kind))).toEqual(new Set(KINDS))
    const kills = await trial(SEED, out, profile, CLOCK_JUMPS)
    expect(kills.flatMap(({ fault }) => fault ?? [])).toEqual([])
    expect(kills.length).toBeGreaterThan(KINDS.length)
    expect(firstDifference(undisturbed, out)).toBeNull()
  }, 600_000)

  it.skipIf(!canMount)(
    'ends with one line on a full or read-only disk, and goes on when there is room',
    async () => {
      const out = join(root, 'full')
      mkdirSync(out)
      mount(out, 'size=16m')
      const failsWith = async (words: RegExp) => {
        const { status, stderr } = await new Subject(out).ending
        expect(stderr.split('\n').filter((line) => /^rwml: | {4}at /.test(line))).toEqual([
          expect.stringMatching(words),
        ])
        expect(status).toBe(1)
      }
      const checkpoints = join(out, 'checkpoints')
      await failsWith(/^rwml: cannot write \S+\/checkpoints\/\S+: the disk is full \(.* free\): free some space /)
      mount(checkpoints, 'ro')
      await failsWith(/^rwml: cannot make the folder \S+\/checkpoints\/\S+: the file system is read-only: /)
      unmount(checkpoints)
      execFileSync('mount', ['-o', 'remount,size=200m', out])
      expect(await new Subject(out).ending).toMatchObject({ status: 0 })
      expect(firstDifference(undisturbed, out)).toBeNull()
    },
    600_000,
  )
})
