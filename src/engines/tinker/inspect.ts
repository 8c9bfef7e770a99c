/** What can be found out about a server without training anything. */
import { z } from 'zod'
import { nearest, UserError } from '../../core/index.ts'
import { keyIn, ServiceError } from '../../services/index.ts'
import type { EngineFact } from '../choice.ts'
import { readModelConfig } from '../local/index.ts'
import { Connection } from './connection.ts'
import { Session } from './session.ts'
import { type Pace, TINKER_SERVERS, type TinkerConfig } from './settings.ts'

/** Nobody who asks how things stand waits for long. */
const SECONDS = 20

const capabilitiesSchema = z.object({
  supported_models: z.array(
    z.object({ model_name: z.string().nullish(), max_context_length: z.int().min(1).nullish() }),
  ),
})

/** Reachability, the key, the model's name, its context, how the server reduces and which losses it is asked for. */
export async function inspectTinker(config: TinkerConfig, pace: Pace): Promise<EngineFact[]> {
  const key = keyIn(config.keyVariable)
  const connection = new Connection({ ...config, requestSeconds: Math.min(SECONDS, config.requestSeconds) }, key, pace)
  const facts: EngineFact[] = [
    {
      what: 'key',
      ok: key === null ? null : true,
      note: key === null ? `${config.keyVariable} is not set: none is sent` : `in ${config.keyVariable}`,
    },
  ]
  try {
    const answers = await attempt(facts, 'reachable', async () => {
      const reply = await connection.exchange({ what: 'healthz', path: 'healthz' })
      if (reply.status >= 400) throw connection.failure(reply, 'healthz')
      return config.url
    })
    if (!answers) return facts
    await attempt(facts, 'model', () => modelNote(connection))
    await attempt(facts, 'session', async () => {
      const session = await Session.open(connection)
      session.close()
      const { sample_max_concurrent_requests: most, fwdbwd_max_chunk_len: chunk } = session.flags
      return `at most ${Math.min(most, config.maxConcurrent)} prompts at once, ${chunk} data a request`
    })
    facts.push({ what: 'gradient', ok: null, note: traitsNote(config) })
    return facts
  } finally {
    connection.close()
  }
}

/** Adds what a look found, or what it failed at; whether it succeeded. */
async function attempt(facts: EngineFact[], what: string, look: () => Promise<string>): Promise<boolean> {
  try {
    facts.push({ what, ok: true, note: await look() })
    return true
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof UserError)) throw error
    facts.push({ what, ok: false, note: error.message })
    return false
  }
}

/** The model under its name there, its context beside that of the folder. */
async function modelNote(connection: Connection): Promise<string> {
  const { model, folder } = connection.config
  const { max_position_embeddings: here } = readModelConfig(folder)
  const reply = await connection.exchange({ what: 'get_server_capabilities', path: 'get_server_capabilities' })
  if (reply.status === 404 || reply.status === 405) return `${model}; the server does not list what it has`
  if (reply.status !== 200) throw connection.failure(reply, 'get_server_capabilities')
  const { supported_models: models } = connection.checked(reply, capabilitiesSchema, 'get_server_capabilities')
  const found = models.find(({ model_name: name }) => name === model)
  if (!found) {
    const names = models.flatMap(({ model_name: name }) => name ?? [])
    const near = nearest(model, names)
    throw new UserError(
      `no model is called ${model} there; ${near === null ? `it has ${names.join(', ') || 'none'}` : `did you mean ${near}?`}`,
    )
  }
  const there = found.max_context_length ?? null
  if (there !== null && there < here) {
    throw new UserError(
      `${model} has a context of ${there} tokens there and of ${here} in ${folder}: longer prompts would be refused; set max_position_embeddings in ${folder}/config.json to ${there}`,
    )
  }
  return `${model}, ${here} tokens of context${there === null ? ' (by the folder; the server does not say)' : ''}`
}

function traitsNote({ server }: TinkerConfig): string {
  const { reduction, clips, idempotent } = TINKER_SERVERS[server]
  return [
    `declared as "${server}", which cannot be asked: ${reduction === 'sum' ? 'sums over tokens' : 'averages, which advantages are scaled for'}`,
    clips ? 'clips' : 'does not clip',
    idempotent ? 'a lost request is sent again' : 'a lost request ends the run, which then resumes',
    'losses cross_entropy, ppo, importance_sampling, cispo; others are linearised',
  ].join('; ')
}
