import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ServiceError } from '../services/index.ts'
import { EmbeddingService, type EmbeddingServiceOptions } from './service.ts'
import { embedderContract } from './testing/contract.ts'
import { type EmbeddingReply, type EmbeddingRequest, EmbeddingServer, vectors } from './testing/embedding-server.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function serving(
  script?: (request: EmbeddingRequest, index: number) => EmbeddingReply,
  options: EmbeddingServiceOptions = {},
): Promise<{ server: EmbeddingServer; embedder: EmbeddingService }> {
  const server = await EmbeddingServer.start(script)
  const embedder = new EmbeddingService(
    { url: server.url, model: 'letters', retries: 2, backoffSeconds: 0.01 },
    options,
  )
  open.push(server, embedder)
  return { server, embedder }
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rwml-vectors-'))
  open.push({ close: () => rmSync(folder, { recursive: true }) })
  return folder
}

let contracted: EmbeddingServer
beforeAll(async () => {
  contracted = await EmbeddingServer.start()
})
afterAll(() => contracted.close())
embedderContract('a service', async () => new EmbeddingService({ url: contracted.url, model: 'letters' }))

describe('EmbeddingService', () => {
  it('sends each text once, as it is, in batches, and puts answers in any order where they belong', async () => {
    const { server, embedder } = await serving(undefined, { batch: 2 })
    const found = await embedder.embed(['a', 'b', 'a', 'c'])
    expect(server.requests.map(({ input }) => input)).toEqual([['a', 'b'], ['c']])
    expect(found[0]).toEqual(found[2])
    expect(found.map((vector) => vector.indexOf(Math.max(...vector)))).toEqual([1, 2, 1, 3])
    for (const vector of found) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
  })

  it('asks nothing twice where it has a folder, whatever is left there by others', async () => {
    const cacheFolder = temporary()
    const first = await serving(undefined, { cacheFolder })
    const vector = await first.embedder.embed(['mug 1'])
    const second = await serving(undefined, { cacheFolder })
    expect(await second.embedder.embed(['mug 1'])).toEqual(vector)
    expect(second.server.requests).toHaveLength(0)
    // A power cut can leave zeros where a vector was.
    const [file] = readdirSync(cacheFolder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.f32'),
    )
    writeFileSync(join(cacheFolder, file), Buffer.alloc(128))
    const third = await serving(undefined, { cacheFolder })
    expect(await third.embedder.embed(['mug 1'])).toEqual(vector)
    expect(third.server.requests).toHaveLength(1)
  })

  it('tries again what a second try can mend', async () => {
    const { server, embedder } = await serving(({ input }, index) =>
      index === 0
        ? { status: 503, body: { error: { message: 'loading' } } }
        : index === 1
          ? { status: 200, body: '{' }
          : vectors(input),
    )
    expect(await embedder.embed(['a'])).toHaveLength(1)
    expect(server.requests).toHaveLength(3)
  })

  it.each([
    ['a vector too few', { data: [{ index: 0, embedding: [1] }] }, /was sent 2 texts and answers with 1 vectors/],
    ['the same vector twice', { data: [0, 0].map((index) => ({ index, embedding: [1] })) }, /was sent 2 texts/],
    ['no direction', { data: [0, 1].map((index) => ({ index, embedding: [0, 0] })) }, /without a direction/],
    [
      'other lengths',
      { data: [0, 1].map((index) => ({ index, embedding: new Array(1 + index).fill(1) })) },
      /vectors of 2 numbers where it gave 1 before/,
    ],
    [
      'vectors that no model has',
      { data: [0, 1].map((index) => ({ index, embedding: new Array(500_000).fill(1) })) },
      /answers \/embeddings with what is not expected: data\[0\]\.embedding must have at most/,
    ],
    [
      'no vectors',
      { data: [{ index: 0, embedding: null }] },
      /answers \/embeddings with what is not expected: data\[0\]\.embedding/,
    ],
  ])('fails in one line at %s', async (_, body, message) => {
    const { embedder } = await serving(() => ({ status: 200, body }))
    const failure = embedder.embed(['a', 'b'])
    await expect(failure).rejects.toThrow(message)
    await expect(failure).rejects.not.toThrow(/\n/)
  })

  it('does not repeat a refused request', async () => {
    const { server, embedder } = await serving(() => ({ status: 400, body: { error: { message: 'too long' } } }))
    await expect(embedder.embed(['a'])).rejects.toThrow(ServiceError)
    await expect(embedder.embed(['a'])).rejects.toThrow(/letters at http.*refuses the request \(400, "too long"\)/)
    expect(server.requests).toHaveLength(2)
  })
})
