/** Archives of checkpoints, from where the server keeps them. */
import { errorCode, ServiceError } from '../../services/index.ts'
import type { Connection } from './connection.ts'

const MOST_REDIRECTS = 3

/** Where a sampler checkpoint's archive is, as an address under `/api/v1`. `tinker://RUN/sampler_weights/NAME` */
function archivePath(path: string): string | null {
  const [, run, name] = /^tinker:\/\/([\w-]+)\/(?:sampler_weights\/)?([\w.-]+)$/.exec(path) ?? []
  return run === undefined ? null : `training_runs/${run}/checkpoints/${name}/archive`
}

/**
 * The bytes of an archive. Servers keep archives elsewhere: a redirect is followed, but the key goes to the server alone.
 * @throws ServiceError
 */
export async function* download(connection: Connection, path: string): AsyncGenerator<Uint8Array> {
  const what = `the archive of ${path}`
  const archive = archivePath(path)
  if (archive === null) throw connection.trouble(`names ${path}, which is no checkpoint`)
  let response = await connection.open(archive, what)
  for (let hops = 0; response.status >= 300 && response.status < 400; hops++) {
    await response.body?.cancel()
    const location = response.headers.get('location') ?? ''
    const target = URL.canParse(location, response.url) ? new URL(location, response.url) : null
    if (hops >= MOST_REDIRECTS || !target || !/^https?:$/.test(target.protocol)) {
      throw connection.trouble(`sends ${what} nowhere`)
    }
    // What is trained on goes on to be used: on the open way it could be exchanged.
    if (target.protocol === 'http:' && response.url.startsWith('https:')) {
      throw connection.trouble(`sends ${what} from https to http`)
    }
    response = await connection.open(target, what)
  }
  if (response.status !== 200) {
    await response.body?.cancel()
    throw connection.failure({ status: response.status, body: null, headers: response.headers }, what)
  }
  try {
    for await (const piece of response.body ?? []) yield piece
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const code = errorCode(error)
    throw connection.trouble(`broke off in the middle of ${what}${code === '' ? '' : ` (${code})`}`)
  }
}
