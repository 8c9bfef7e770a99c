/** The HTTP side of a model: routes, answers whole or as server-sent events. */
import type { Context, Hono } from 'hono'
import type { Admission } from './admission.ts'
import type { Batcher } from './batcher.ts'
import { prepareChat } from './chat.ts'
import { bodyOf, checkedApp } from './checked-app.ts'
import { prepareCompletion } from './completions.ts'
import { asApiError } from './errors.ts'
import { generate, merge, type Piece } from './generation.ts'
import { LIMITS } from './limits.ts'
import type { ServedModel } from './model.ts'
import { assemble, type Prepared, usage } from './response.ts'
import { detokenize, tokenize, tokenizerInfo } from './tokenize.ts'

export interface Service {
  model: ServedModel
  batcher: Batcher
  admission: Admission
  /** What requests have to bring; null: nothing. */
  key: string | null
  /** One line for every request that was answered or refused. */
  log(line: string): void
}

export function createApp(service: Service): Hono {
  const { model, batcher, admission } = service
  const app = checkedApp({ body: LIMITS.body, key: service.key, open: ['/health'], log: service.log })
  app.get('/health', (context) => {
    const { failure } = batcher
    const health = { status: failure === null ? 'ok' : 'failing', model: model.names[0], answers: admission.answers }
    return failure === null ? context.json(health) : context.json({ ...health, error: failure }, 503)
  })
  app.get('/v1/models', (context) =>
    context.json({ object: 'list', data: model.names.map((name) => describe(model, name)) }),
  )
  app.get('/v1/models/:model{.+}', (context) => context.json(describe(model, model.nameOf(context.req.param('model')))))
  app.post('/v1/chat/completions', async (context) =>
    answer(context, service, prepareChat(await bodyOf(context), model)),
  )
  app.post('/v1/completions', async (context) =>
    answer(context, service, prepareCompletion(await bodyOf(context), model)),
  )
  app.get('/tokenizer_info', (context) => context.json(tokenizerInfo(model)))
  app.post('/tokenize', async (context) => context.json(tokenize(await bodyOf(context), model)))
  app.post('/detokenize', async (context) => context.json(detokenize(await bodyOf(context), model)))
  return app
}

function describe(model: ServedModel, id: string) {
  return { id, object: 'model', created: model.created, owned_by: 'rwml', max_model_len: model.contextLength }
}

async function answer(context: Context, service: Service, prepared: Prepared): Promise<Response> {
  const { answers, promptTokens, head, objects } = prepared
  const { signal, release } = service.admission.admit(answers.length, context.req.raw.signal)
  const pieces = merge(answers.map((request) => generate(request, service.model, service.batcher, signal)))
  const began = performance.now()
  const log = (drawn: number, outcome: string) => {
    const time = `${Math.round(performance.now() - began)} ms`
    service.log(`POST ${context.req.path} ${outcome}, ${promptTokens} + ${drawn} tokens, ${time}`)
  }
  if (prepared.stream) return eventStream(events(prepared, pieces, log), release)
  try {
    const all: Piece[] = []
    for await (const piece of pieces) all.push(piece)
    const drawn = all.reduce((sum, piece) => sum + piece.drawn, 0)
    log(drawn, '200')
    const choices = assemble(all, answers.length).map(prepared.choice)
    return context.json({ ...head, object: objects.whole, choices, usage: usage(promptTokens, drawn) })
  } finally {
    release()
  }
}

/** The chunks of a stream as JSON, then the end mark; an error that comes on the way is the last of them. */
async function* events(
  { head, objects, promptTokens, includeUsage, chunk }: Prepared,
  pieces: AsyncGenerator<Piece>,
  log: (drawn: number, outcome: string) => void,
): AsyncGenerator<string> {
  const event = (choices: object[], total?: object) =>
    JSON.stringify({ ...head, object: objects.chunk, choices, ...(includeUsage && { usage: total ?? null }) })
  const begun = new Set<number>()
  let drawn = 0
  let outcome = '200 stream, broken off'
  try {
    for await (const piece of pieces) {
      drawn += piece.drawn
      yield event([chunk(piece, !begun.has(piece.index))])
      begun.add(piece.index)
    }
    outcome = '200 stream'
    if (includeUsage) yield event([], usage(promptTokens, drawn))
    yield '[DONE]'
  } catch (error) {
    outcome += `: ${(error as Error).message}`
    yield JSON.stringify(asApiError(error).body)
  } finally {
    log(drawn, outcome)
  }
}

/** Server-sent events, made as the client reads them; `over` is called when they end or the client goes away. */
function eventStream(source: AsyncGenerator<string>, over: () => void): Response {
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await source.next()
        if (!done) return controller.enqueue(encoder.encode(`data: ${value}\n\n`))
        over()
        controller.close()
      },
      async cancel() {
        over()
        await source.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, {
    headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache' },
  })
}
