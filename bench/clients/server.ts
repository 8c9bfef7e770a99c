/**
 * A server in a process of its own that answers at once with samples made beforehand: what is left to measure is the client. It
 * speaks as much of Tinker, vLLM and OpenAI's chat as the clients ask for. Prints its address.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PROTOBUF } from '../../src/engines/tinker/protobuf-results.ts'
import { writeResult } from '../../src/engines/tinker/testing/protobuf.ts'

const KINDS = ['tinker', 'protobuf', 'vllm', 'chat'] as const
type Kind = (typeof KINDS)[number]

/** Log-probabilities as servers write them: single precision in full. */
const logprob = (at: number): number => Math.fround(-0.5 - ((at * 7919) % 1000) / 997)
const token = (at: number): number => 5 + ((at * 31) % 900)

const made = new Map<string, Buffer>()

/** One sample of so many tokens. */
function sampleOf(kind: Kind, count: number): Buffer {
  const name = `${kind} ${count}`
  const known = made.get(name)
  if (known) return known
  const positions = Array.from({ length: count }, (_, at) => at)
  const [tokens, logprobs] = [positions.map(token), positions.map(logprob)]
  const samples = { sequences: [{ stop_reason: 'length', tokens, logprobs }], type: 'sample' }
  const body = Buffer.from(
    {
      tinker: () => JSON.stringify(samples),
      protobuf: () => writeResult(samples) ?? '',
      vllm: () => {
        const names = tokens.map((id) => `token_id:${id}`)
        const told = { tokens: names, token_logprobs: logprobs, text_offset: positions }
        const top_logprobs = names.map((one, at) => ({ [one]: logprobs[at] }))
        const choice = { index: 0, text: ' word'.repeat(count), finish_reason: 'length', token_ids: tokens }
        return JSON.stringify({
          id: 'x',
          object: 'text_completion',
          choices: [{ ...choice, logprobs: { ...told, top_logprobs } }],
        })
      },
      // An event a token, as vLLM streams; they arrive together, as behind a busy network.
      chat: () => positions.map((at) => event({ content: ' word' }, at + 1 === count)).join('') + END,
    }[kind](),
  )
  made.set(name, body)
  return body
}

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'tiny' }
const END = `data: ${JSON.stringify({ ...HEAD, choices: [], usage: { prompt_tokens: 50, completion_tokens: 64 } })}\n\ndata: [DONE]\n\n`

function event(delta: object, last: boolean): string {
  const choice = { index: 0, delta, logprobs: null, finish_reason: last ? 'length' : null }
  return `data: ${JSON.stringify({ ...HEAD, choices: [choice] })}\n\n`
}

/** Request ids of futures say what they will bring. */
let requests = 0

function answer(path: string, body: string, accepted?: string): { type?: string; bytes: Buffer | string } {
  const count = Number(/"max_(?:completion_)?tokens": ?(\d+)/.exec(body)?.[1] ?? 1)
  const json = (value: object) => ({ bytes: JSON.stringify(value) })
  switch (path) {
    case '/v1/models':
      return json({ data: [{ id: 'tiny', max_model_len: 1_000_000 }] })
    case '/v1/completions':
      return { bytes: sampleOf('vllm', count) }
    case '/v1/chat/completions':
      return { type: 'text/event-stream', bytes: sampleOf('chat', count) }
    case '/api/v1/create_session':
      return json({ session_id: 'session' })
    case '/api/v1/create_model':
      return json({ request_id: 'model', model_id: 'model' })
    case '/api/v1/save_weights_for_sampler':
    case '/api/v1/create_sampling_session':
      return json({ request_id: 'sampler', sampling_session_id: 'sampler' })
    case '/api/v1/asample':
      return json({ request_id: `sample-${count}-${requests++}` })
    case '/api/v1/retrieve_future': {
      const [, of, wanted] = /"request_id": ?"(\w+)-?(\d*)/.exec(body) ?? []
      if (of === 'sample' && accepted === PROTOBUF)
        return { type: PROTOBUF, bytes: sampleOf('protobuf', Number(wanted)) }
      if (of === 'sample') return { bytes: sampleOf('tinker', Number(wanted)) }
      return json({ model_id: 'model', sampling_session_id: 'sampler' })
    }
    default:
      return json({})
  }
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const { url = '', headers } = request
  const { type = 'application/json', bytes } = answer(url, Buffer.concat(pieces).toString('latin1'), headers.accept)
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(bytes) })
  response.end(bytes)
}

const server = createServer((request, response) => void handle(request, response))
// Connections are kept: the client's are what is measured, and a thousand of them take a while to make.
server.keepAliveTimeout = 600_000
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
