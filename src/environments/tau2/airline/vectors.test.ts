import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkVectors } from '../check.ts'

const shared = process.env.RWML_SHARED ?? '../shared'
const oracle = join(shared, 'oracle', 'tau2')

describe.skipIf(!existsSync(oracle))('recordings of upstream', () => {
  it.each([
    ['airline', { tasks: 50 }],
    ['fuzz_airline', { sequences: 20 }],
    ['traj_airline', { transcripts: 25 }],
  ])('%s: no difference', (name, counts) => {
    const found = checkVectors(join(shared, 'data', 'tau2'), [join(oracle, `${name}.json`)], (policy) => policy)
    expect(found).toMatchObject({ ...counts, skipped: 0, differences: 0, first: null })
  })
})
