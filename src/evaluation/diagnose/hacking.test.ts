import { expect, it } from 'vitest'
import type { Observation, Transition } from '../../core/index.ts'
import { exactReward, judgeReward, rougeReward, textReward } from '../../rewards/index.ts'
import { modelThatSays } from '../../services/testing/model.ts'
import { probeHacking, vague } from './hacking.ts'

const say = (text: string): Observation => ({ from: 'environment', text })
const transition = (task: number, step: number, next: string): Transition => ({
  id: `${task}.${step}`,
  taskId: `${task}`,
  taskKind: 'k',
  instruction: 'find it',
  initial: say('You are in a room.'),
  history: step === 0 ? [] : [{ reply: '', action: null, observation: say('You face the desk.') }],
  action: { kind: 'text', text: `go to desk ${step}` },
  next: say(next),
  valid: true,
})

const transitions = Array.from({ length: 10 }, (_, task) => [
  transition(task, 0, 'Nothing happens.'),
  transition(task, 1, `On the desk you see a key ${task}.`),
]).flat()

it('tells what each reward gives to predictions that know nothing', async () => {
  // A judge that is pleased by whoever speaks of the next observation.
  const fooled = textReward('fooled', (predicted) =>
    predicted.includes('next observation') ? { reward: 1, distance: 0 } : { reward: 0, distance: 1 },
  )
  const [exact, rouge, pleased] = await probeHacking([exactReward(), rougeReward(), fooled], transitions)
  const passed = (found: typeof exact) => Object.fromEntries(found.probes.map(({ probe, passed }) => [probe, passed]))
  expect(exact.probes.map(({ predictions }) => predictions)).toEqual([20, 20, 20, 20, 20])
  expect(passed(exact)).toEqual({
    'copy of the last observation': 0,
    'most frequent observation': 0.5,
    'vague: as expected': 0,
    'vague: something or nothing': 0,
    'vague: will describe': 0,
  })
  expect(passed(pleased)['vague: will describe']).toBe(1)
  expect(passed(pleased)['most frequent observation']).toBe(0)
  const graded = rouge.probes.find(({ probe }) => probe === 'vague: something or nothing')
  expect(graded?.rewarded).toBeGreaterThan(0)
})

it('asks a judge as any other reward, and draws the same sample again', async () => {
  const judge = () => judgeReward(modelThatSays({ text: 'Score: 1' }), { mode: 'binary' })
  const [found] = await probeHacking([judge()], transitions)
  expect(found.reward).toBe('judge(actor, binary)')
  expect(found.probes.every(({ passed }) => passed === 1)).toBe(true)
  expect(await probeHacking([judge()], transitions)).toEqual([found])
})

it('writes of commands, calls and users in their own terms, and never of what followed', () => {
  const command = transition(0, 0, 'secret')
  const call: Transition = {
    ...command,
    action: { kind: 'tools', calls: [{ id: '1', name: 'find_order', arguments: '{}' }] },
    next: { from: 'tool', results: [{ id: '1', name: 'find_order', content: 'secret' }] },
  }
  const talk: Transition = {
    ...command,
    initial: { from: 'user', text: 'Hello' },
    next: { from: 'user', text: 'secret' },
  }
  const [said, called, spoken] = [command, call, talk].map((one) =>
    vague(one)
      .map(({ text }) => text)
      .join('\n'),
  )
  expect(said).toContain('go to desk 0')
  expect(called).toContain('find_order')
  expect(spoken).toContain('The user will answer')
  expect([said, called, spoken].join('\n')).not.toContain('secret')
})
