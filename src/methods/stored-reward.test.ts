import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { windowAgent } from '../agents/index.ts'
import { chooseReward, readCollected } from '../stages/index.ts'
import { RunFolder } from '../store/index.ts'
import { storedReward } from './stored-reward.ts'
import { configOf } from './stored-run.ts'
import { writeFixtureRun } from './testing/fixture-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-stored-'))
afterAll(() => rmSync(folder, { recursive: true }))
const warn = () => {}

function written(name: string, settings: Record<string, unknown>): string {
  const path = join(folder, name)
  writeFixtureRun(path, {
    tasks: 6,
    steps: 4,
    initial: (task) => `Room ${task}.`,
    turn: (task, step) => ({
      action: `open ${step}`,
      next: `You open the drawer ${step} of room ${task}. It holds a key ${task}.`,
    }),
    settings,
    varied: 1,
    meanReward: 0.5,
  })
  return path
}

describe('the reward of a run', () => {
  it('is the one that training had, embedder and threshold included', async () => {
    const path = written('lexical', { 'reward.kind': 'embedding', 'reward.embedder': 'lexical' })
    await expect(storedReward(path, { warn })).rejects.toThrow('has not chosen its reward yet')
    const run = RunFolder.open(path)
    const progress = { start() {}, update() {}, finish() {} }
    const { train } = readCollected(run)
    const chosen = await chooseReward({ run, config: configOf(run), environment: {}, progress, warn }, train)
    const stored = await storedReward(path, { warn })
    expect(stored.reward.name).toBe(chosen.reward.name)
    const predictions = train.flatMap(({ next }) =>
      ['You open the drawer 2 of room 3. It holds a key 3.', 'Nothing happens.', null].map((predicted) => ({
        predicted,
        actual: next.from === 'tool' ? '' : next.text,
        from: next.from,
      })),
    )
    const scores = await stored.reward.score(predictions)
    expect(scores).toEqual(await chosen.reward.score(predictions))
    expect(new Set(scores.map(({ reward }) => reward))).toEqual(new Set([0, 1]))
  })

  it('needs no choice where there is none, and says when it was given in code', async () => {
    const exact = await storedReward(written('exact', { 'reward.kind': 'exact' }), { warn })
    expect((await exact.reward.score([{ predicted: 'a', actual: 'a', from: 'user' }]))[0].reward).toBe(1)
    expect(exact.agent.parsePrediction('<next_state> b </next_state>').nextState).toBe('b')
    await expect(storedReward(written('judge', { 'reward.kind': 'judge' }), { warn })).rejects.toThrow(
      'no judge is given',
    )
    const own = windowAgent({ historyTurns: 1, showActions: false })
    expect((await storedReward(join(folder, 'exact'), { warn, agent: own })).agent).toBe(own)
  })
})
