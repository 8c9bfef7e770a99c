import { afterAll, beforeAll, expect, it } from 'vitest'
import { tinkerEngine } from '../engines/index.ts'
import { FakeTinker } from '../engines/tinker/testing/fake-server.ts'
import { HURRY } from '../engines/tinker/testing/open.ts'
import { methodOf, planMethod, settingsOf } from '../methods/index.ts'
import { planText } from './dry.ts'

let fake: FakeTinker
beforeAll(async () => {
  fake = await FakeTinker.start({ base: 'models/mini', reduction: 'sum' })
})
afterAll(() => fake.close())

it('says what a run at a server would take and cost, and trains nothing there', async () => {
  const prices = { sampled: 2, trained: 6 }
  const engine = tinkerEngine({ url: fake.url, server: 'tinker', model: 'mini', prices }, HURRY)
  const settings = {
    model: { lora: { rank: 4 } },
    environment: { tasks: { train: 2, seen: 1, unseen: 1 } },
    collect: { tasks: 2, rollouts: 1, maxSteps: 2 },
    policy: { steps: 100, tasks: 2, maxSteps: 2 },
  }
  const { config } = settingsOf({ settings })
  const plan = await planMethod(methodOf({ method: 'policy-rl' }), config, { engine }, () => {})
  const { sampled, trained } = plan.stages.find(({ stage }) => stage.name === 'policy-rl')!.plan!
  const cost = ((sampled * prices.sampled + trained * prices.trained) / 1e6).toFixed(2)
  const text = planText(plan, false)
  expect(text).toMatch(new RegExp(`Policy RL .* ≈ \\$${cost.replace('.', '\\.')}`))
  expect(text).toContain(`it is trained elsewhere: mini at ${fake.url}.`)
  expect(text).toContain('Cost is what the engine takes')
  expect(fake.count('optim_step')).toBe(0)
})
