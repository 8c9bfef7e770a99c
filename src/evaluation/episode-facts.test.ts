import { expect, it } from 'vitest'
import { toolsAgent } from '../agents/index.ts'
import type { Trajectory } from '../core/index.ts'
import type { Environment } from '../environments/index.ts'
import { summariseFacts } from './episode-facts.ts'
import { policyResult } from './policy.ts'

const task = { id: 't', split: 'unseen', kind: 'shop', instruction: '' }
const played = (more: Partial<Trajectory>): Trajectory => ({
  task,
  sample: 0,
  seed: 0,
  initial: { from: 'user', text: 'Hi' },
  turns: [],
  done: true,
  truncated: false,
  sequences: [],
  ...more,
})
const runs = [
  [
    played({ reward: 1, facts: { user: 'scripted', steps: 4 } }),
    played({ reward: 0, facts: { user: 'scripted', steps: 8 } }),
    played({ failed: 'the service is gone', facts: { user: 'model' } }),
  ],
]

it('sums up what episodes tell', () => {
  expect(summariseFacts(runs.flat())).toEqual({
    counts: { user: { scripted: 2, model: 1 } },
    means: { steps: 6 },
  })
  expect(summariseFacts([played({})])).toBeNull()
})

it('leaves broken episodes out of success, and counts them', () => {
  const environment = { name: 'shop' } as Environment
  expect(policyResult('unseen', runs, environment, toolsAgent())).toMatchObject({
    successByRun: [0.5],
    failed: 1,
    byKind: { shop: { solved: 1, episodes: 2 } },
    facts: { counts: { user: { scripted: 2, model: 1 } } },
  })
})
