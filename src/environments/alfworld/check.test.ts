import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkTraces } from './check.ts'

const shared = process.env.RWML_SHARED ?? '../shared'
const golden = join(shared, 'oracle', 'alfworld', 'golden.jsonl')

describe.skipIf(!existsSync(golden))('episodes recorded from the real stack', () => {
  it.each(['alfworld', 'alfworld-release-2.1.1'])('%s: every step is the same', (data) => {
    const check = checkTraces(join(shared, 'data', data), [golden])
    expect(check.first).toBeNull()
    expect(check.differences).toBe(0)
    expect(check.episodes).toBeGreaterThan(100)
    expect(check.episodes + check.skipped).toBe(378)
  })
})
