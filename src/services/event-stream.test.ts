import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventData } from './event-stream.ts'

async function read(text: string, cuts: readonly number[] = []): Promise<string[]> {
  const bytes = Buffer.from(text)
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  async function* pieces() {
    for (let i = 1; i < places.length; i++) yield bytes.subarray(places[i - 1], places[i])
  }
  const events: string[] = []
  for await (const some of eventData(pieces())) for (const event of some) events.push(event)
  return events
}

describe('eventData', () => {
  it('reads what services send', async () => {
    const stream = ': processing\n\nevent: a\ndata: {"é": 1}\nid: 7\n\ndata:[DONE]\n\n\n\ndata: cut off'
    expect(await read(stream)).toEqual(['{"é": 1}', '[DONE]'])
    expect(await read('data: a\ndata:  b\ndata:\n\n')).toEqual(['a\n b\n'])
    expect(await read('')).toEqual([])
  })

  it('reads the same however it is cut and whichever line breaks it has', async () => {
    const word = fc.string({ unit: fc.constantFrom('a', ' ', ':', 'é', '😀', 'data'), maxLength: 6 })
    const property = fc.asyncProperty(
      fc.array(word, { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(200), { maxLength: 12 }),
      async (words, end, cuts) => {
        const stream = words.map((one) => `: c${end}data: ${one}${end}${end}`).join('')
        // The last line break of all may still be half of one.
        expect(await read(`${stream}:${end}`, cuts)).toEqual(words)
      },
    )
    await fc.assert(property, { seed: 1, numRuns: 300 })
  })

  it('looks at every byte once', async () => {
    const event = `data: ${'x'.repeat(90)}\n\n`
    const before = process.cpuUsage()
    expect(await read(event.repeat(200_000))).toHaveLength(200_000)
    const whole = `data: ${'x'.repeat(20_000_000)}\n\n`
    expect(
      await read(
        whole,
        Array.from({ length: 20_000 }, (_, i) => i * 1000),
      ),
    ).toHaveLength(1)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1e6).toBeLessThan(20)
  })
})
