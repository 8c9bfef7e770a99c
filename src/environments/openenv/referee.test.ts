/** The same environment behind openenv-core's own server, in a Python of the referees'. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Action } from '../../core/index.ts'
import { refereeHas, refereePython } from '../../core/testing/python.ts'
import { type OpenEnvOptions, openEnvEnvironment } from './openenv.ts'

const script = join(import.meta.dirname, '../../../scripts/referee/openenv_server.py')
const say = (text: string): Action => ({ kind: 'text', text })

describe.skipIf(!refereeHas('openenv.core'))('openenv-core', () => {
  let server: ChildProcess
  let url: string
  beforeAll(async () => {
    server = spawn(refereePython(), [script, '2'], { stdio: ['ignore', 'pipe', 'ignore'] })
    const line = await new Promise<string>((resolve, reject) => {
      server.stdout?.once('data', (data: Buffer) => resolve(data.toString()))
      server.once('exit', (code) => reject(new Error(`ended with ${code}`)))
    })
    url = `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`
  }, 300_000)
  afterAll(() => void server.kill('SIGKILL'))

  const open = (more: Partial<OpenEnvOptions> = {}, index = 0) => {
    const environment = openEnvEnvironment({
      url,
      tasks: 2,
      sessions: 2,
      connectSeconds: 60,
      answerSeconds: 60,
      ...more,
    })
    return environment.open(environment.tasks('train')[index], { seed: 7 })
  }

  it('is played, two sessions beside each other and to the end', async () => {
    const [off, on] = [await open(), await open({ tasks: [{ seed: 1, reset: { room: 'cellar' } }] })]
    expect(off.initial).toEqual({ from: 'environment', text: 'A lamp in a room. It is off.' })
    expect(on.initial).toEqual({ from: 'environment', text: 'A lamp in a cellar. It is on.' })
    expect(await off.step(say('on'))).toEqual({
      observation: { from: 'environment', text: 'The lamp is on.' },
      done: false,
      truncated: false,
      valid: true,
      reward: 0.5,
    })
    expect(await on.step(say('on'))).toMatchObject({ observation: { text: 'Nothing happens.' }, reward: 0 })
    await off.step(say('off'))
    expect(await off.step(say('on'))).toMatchObject({ done: true, reward: 1 })
    await Promise.all([off.close?.(), on.close?.()])
  })

  it('lets as many in as it says, and the next as soon as one has left', async () => {
    const [first, second] = [await open(), await open({}, 1)]
    await expect(open({ sessions: 3 })).rejects.toThrow('lets 2 in at once, and not 3: set sessions to 2')
    await first.close?.()
    const third = await open()
    await Promise.all([second.close?.(), third.close?.()])
  })

  it('says which fields its actions have, and when it fails itself', async () => {
    const wrong = await open({ action: () => ({ command: 'on' }) })
    await expect(wrong.step(say('on'))).rejects.toThrow(
      'does not know such actions: {"command":"on"} (message: Field required',
    )
    await wrong.close?.()
    const broken = await open()
    expect((await broken.step(say('break'))).failed).toContain('(EXECUTION_ERROR, "the bulb is broken")')
    await broken.close?.()
    const cut = await open()
    expect((await cut.step(say('on'.repeat(100)))).failed).toContain('Unable to serialize unknown type')
    await cut.close?.()
  })
})
