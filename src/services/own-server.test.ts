import { expect, it } from 'vitest'
import { startServer } from '../serving/server.ts'
import { MINI } from '../serving/testing/model.ts'
import { closeAfterEach, serviceAt } from './testing/service.ts'

closeAfterEach()

it('talks with our own server', async () => {
  const server = await startServer({ folder: MINI, port: 0, threads: 1 })
  try {
    const url = `${server.url}/v1`
    const service = serviceAt(url, { model: 'mini' })
    const messages = [{ role: 'user', content: 'You see a drawer 1, and a fridge 1.' }] as const
    const got = await service.complete(messages, { maxTokens: 20, seed: 1, stop: ['\n\n'] })
    expect(got.text).not.toBe('')
    expect(got.usageEstimated).toBe(false)
    expect(got.usage.outputTokens).toBeGreaterThan(0)
    expect((await service.complete(messages, { maxTokens: 20, seed: 1, stop: ['\n\n'] })).text).toBe(got.text)
    const tools = service.complete(messages, { tools: [{ name: 'look' }] })
    await expect(tools).rejects.toThrow(
      `mini at ${url} refuses the request (400, "tools is not supported here: leave it out")`,
    )
    await expect(serviceAt(url, { model: 'other' }).complete(messages)).rejects.toThrow(
      'has no such address or model (404, ',
    )
  } finally {
    await server.close()
  }
})
