/** Training states on disk: where the server keeps the state, and the adapter itself as a model folder. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../core/index.ts'
import { readJson, verifyChecksums, writeChecksums, writeFolderAtomic, writeJson } from '../../store/index.ts'
import { readCompanions, readModelConfig, writeDescription } from '../local/index.ts'
import { unpackAdapter } from './adapter-archive.ts'

const STATE_FILE = 'tinker.json'

const stateSchema = z.object({
  /** Where the server is that keeps the state. */
  url: z.string(),
  /** The base model's name there. */
  model: z.string(),
  /** Weights and optimiser: `tinker://…`. */
  state: z.string().regex(/^tinker:\/\//),
})
export type StoredState = z.output<typeof stateSchema>

/** Atomic. `base` is the folder of the base model here. */
export async function writeState(
  folder: string,
  state: StoredState,
  base: string,
  archive: AsyncIterable<Uint8Array>,
): Promise<void> {
  await writeFolderAtomic(folder, async (temporary) => {
    await unpackAdapter(archive, temporary, base, `the archive of ${state.state} from ${state.url}`)
    writeDescription(temporary, readModelConfig(base), readCompanions(base))
    writeJson(join(temporary, STATE_FILE), state)
    writeChecksums(temporary)
  })
}

/** Null where a folder holds no state of a Tinker server. @throws UserError where it is damaged or of another model */
export function readState(folder: string, model: string): StoredState | null {
  const path = join(folder, STATE_FILE)
  if (!existsSync(path)) return null
  verifyChecksums(folder)
  const state = readJson(path, stateSchema)
  if (state.model === model) return state
  throw new UserError(`${path} is a state of ${state.model}, not of ${model}: load the folder that this run saved`)
}

/** Whether two paths are one folder. */
export function sameFolder(a: string, b: string): boolean {
  return resolve(a) === resolve(b)
}
