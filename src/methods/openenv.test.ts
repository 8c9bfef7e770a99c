/** A run whose environment is a server: collect, filter, world-model RL, policy RL, evaluation. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openEnvEnvironment } from '../environments/index.ts'
import { type FakeOptions, FakeServer } from '../environments/openenv/testing/fake-server.ts'
import { checkEnvironment } from '../rollouts/index.ts'
import { readCollected, stageRecord } from '../stages/index.ts'
import { RunFolder } from '../store/index.ts'
import { methodOf } from './experiment.ts'
import { play, root } from './testing/tiny-run.ts'

const servers: FakeServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

const settings = {
  'environment.name': 'openenv',
  'collect.maxSteps': 4,
  'policy.maxSteps': 4,
  'filter.rule': 'paper',
}

async function lamps(sessions: number, faults: FakeOptions['faults'] = [], deterministic = false) {
  const server = await FakeServer.start({ most: sessions, faults })
  servers.push(server)
  return { server, environment: openEnvEnvironment({ url: server.url, tasks: 8, sessions, deterministic }) }
}

describe('a run on an OpenEnv server', () => {
  it('keeps its word', async () => {
    for (const sessions of [1, 2]) {
      const { environment, server } = await lamps(sessions)
      const found = await checkEnvironment(environment, {
        commands: () => ['on', 'off', 'nothing'],
        tasks: 2,
        steps: 8,
      })
      expect(found).toMatchObject({ episodes: 2, rewarded: true })
      expect(server.mostOpen).toBe(sessions)
      expect(server.open).toBe(0)
    }
  })

  it('goes from its first stage to its last with no more sessions than there are', async () => {
    const { server, environment } = await lamps(3)
    const method = methodOf({ method: 'rwml' })
    const { out, warnings } = await play('lamps', method, settings, { environment })
    const run = RunFolder.open(out)
    for (const { name } of method.stages) expect([name, stageRecord(run, name)?.finished]).toEqual([name, true])
    expect(server.mostOpen).toBe(3)
    expect(server.open).toBe(0)
    expect(warnings[0]).toContain('1 of its 8 training tasks are held out')
    expect(readCollected(run).trajectories.every(({ reward }) => reward !== undefined)).toBe(true)
  }, 60_000)

  it('counts an episode that is lost, and learns nothing from what it broke at', async () => {
    const lost = await lamps(2, [{ at: 2, session: 1, does: 'drop' }])
    const method = methodOf({ method: 'rwml-only' })
    const { out } = await play('lost', method, settings, { environment: lost.environment, until: 'collect' })
    const { trajectories, train, filter } = readCollected(RunFolder.open(out))
    const failed = trajectories.filter((one) => one.failed !== undefined)
    expect(failed).toHaveLength(1)
    expect(failed[0].turns).toHaveLength(2)
    const texts = [...train, ...filter].map(({ next }) => JSON.stringify(next))
    expect(texts.filter((text) => text.includes('broke off'))).toEqual([])
    const again = await lamps(2, [{ at: 2, session: 1, does: 'drop' }], true)
    const made = await play('made-good', method, settings, { environment: again.environment, until: 'collect' })
    expect(readCollected(RunFolder.open(made.out)).trajectories.some((one) => one.failed !== undefined)).toBe(false)
  }, 60_000)

  it('stops where the server is gone, and goes on from there', async () => {
    const gone = await lamps(2, [{ at: 0, session: 5, does: 'drop' }])
    const method = methodOf({ method: 'rwml-only' })
    const attempt = play('gone', method, settings, { environment: gone.environment, until: 'collect' })
    await expect(attempt).rejects.toThrow('ended the connection')
    expect(readdirSync(join(root, 'gone'))).not.toContain('transitions.jsonl')
    const back = await lamps(2)
    const how = { environment: back.environment, until: 'collect', resume: true }
    const { out } = await play('gone', method, settings, how)
    expect(readCollected(RunFolder.open(out)).trajectories).toHaveLength(6)
  }, 60_000)
})
