import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Sampler } from '../../engine.ts'

/** A body of a request, as far as it is looked at. */
export interface Body {
  model: string
  prompt: number[]
  n?: number
  max_tokens: number
  temperature: number
  top_p?: number
  top_k?: number
  seed?: number
  logprobs?: number
  prompt_logprobs?: number
  stop_token_ids?: number[]
  return_token_ids?: boolean
  return_tokens_as_token_ids?: boolean
  lora_name?: string
  lora_path?: string
}

type Answer = { choices: Record<string, unknown>[] }

/**
 * vLLM's completions on 127.0.0.1, as far as `VllmSampler` uses them, over any sampler: the tokens of a request are those that the
 * sampler draws for its seed. `mend` changes an answer before it is sent.
 */
export class FakeVllm {
  readonly url: string
  readonly requests: { path: string; body: Body }[] = []
  mend: (answer: Answer) => unknown = (answer) => answer
  private readonly server: Server
  private readonly sampler: Sampler
  private readonly models = ['tiny']

  private constructor(server: Server, sampler: Sampler) {
    this.server = server
    this.sampler = sampler
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  }

  static async start(sampler: Sampler): Promise<FakeVllm> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const fake = new FakeVllm(server, sampler)
    server.on('request', (request, response) => void fake.handle(request, response))
    return fake
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    const bytes: Buffer[] = []
    for await (const chunk of request) bytes.push(chunk as Buffer)
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }
    if (path === '/v1/models') {
      send(200, { data: this.models.map((id) => ({ id, max_model_len: this.sampler.contextLength })) })
      return
    }
    const body = JSON.parse(Buffer.concat(bytes).toString()) as Body
    this.requests.push({ path, body })
    if (path === '/v1/load_lora_adapter') {
      this.models.push(body.lora_name ?? '')
      send(200, 'Success: LoRA adapter added.')
    } else if (!this.models.includes(body.model)) {
      send(404, { error: { message: `The model \`${body.model}\` does not exist.`, code: 404 } })
    } else send(200, this.mend(await (body.prompt_logprobs === undefined ? this.drawn(body) : this.scored(body))))
  }

  private async drawn(body: Body): Promise<Answer> {
    const { prompt, n = 1, max_tokens: maxTokens, temperature, top_p: topP, top_k: topK, seed = 0, logprobs = 0 } = body
    const stop = (body.stop_token_ids ?? []).map((token) => [token])
    const params = { n, maxTokens, temperature, topP, topK, seed: [seed], stop, alternatives: logprobs }
    const [samples] = await this.sampler.sample([prompt], params)
    const name = (token: number) => `token_id:${token}`
    return {
      choices: samples.map((sample, index) => ({
        index,
        finish_reason: sample.stopReason,
        ...(body.return_token_ids && { token_ids: sample.tokens }),
        logprobs: {
          tokens: sample.tokens.map(name),
          token_logprobs: sample.logprobs,
          // vLLM has the token itself among them, in whatever place.
          top_logprobs: sample.tokens.map((token, at) => ({
            [name(token)]: sample.logprobs[at],
            ...Object.fromEntries(
              (sample.alternatives?.[at].tokens ?? []).map((one, i) => [
                name(one),
                sample.alternatives![at].logprobs[i],
              ]),
            ),
          })),
        },
      })),
    }
  }

  private async scored({ prompt, prompt_logprobs: alternatives = 0 }: Body): Promise<Answer> {
    const [{ logprobs, alternatives: others }] = await this.sampler.score!([prompt], Math.max(1, alternatives))
    const entries = prompt.map((token, at) => {
      if (at === 0) return null
      const listed = alternatives === 0 ? [] : others[at].tokens
      return Object.fromEntries([
        [token, { logprob: logprobs[at], rank: 1 }],
        ...listed.map((one, i) => [one, { logprob: others[at].logprobs[i], rank: i + 1 }]),
      ])
    })
    return {
      choices: [{ index: 0, finish_reason: 'length', token_ids: [0], logprobs: null, prompt_logprobs: entries }],
    }
  }
}
