import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { acquireLock } from './lock.ts'

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  linkSync() {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM', syscall: 'link' })
  },
}))

const folder = mkdtempSync(join(tmpdir(), 'rwml-links-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('locks where the file system has no links', () => {
  const path = join(folder, 'run.lock')
  const lock = acquireLock(path, 'rwml test')
  expect(() => acquireLock(path, 'rwml test')).toThrow(/in use by process/)
  expect(readdirSync(folder)).toEqual(['run.lock'])
  lock.release()
  acquireLock(path, 'rwml test').release()
  expect(readdirSync(folder)).toEqual([])
})
