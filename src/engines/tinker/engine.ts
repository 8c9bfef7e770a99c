/**
 * A Tinker server as an engine: it trains a LoRA adapter and samples from it, over HTTP. What the protocol lacks is made of what
 * it has: a frozen reference is a sampler checkpoint and its prompt log-probabilities, losses it does not know are linearised
 * (passes.ts), loading is a new model. What cannot be had is refused in one line. See docs/tinker.md.
 */
import { keyIn } from '../../services/index.ts'
import type { Engine } from '../choice.ts'
import { readModelConfig } from '../local/index.ts'
import { Connection } from './connection.ts'
import { RemoteModel } from './remote-model.ts'
import { Session } from './session.ts'
import { PACE, type Pace, parseTinkerSettings, type TinkerSettings } from './settings.ts'
import { TinkerTrainer } from './trainer.ts'

/**
 * Closing it unloads the model and ends the session. @throws UserError (settings, key, the folder), ServiceError (the server)
 */
export async function openTinkerEngine(settings: TinkerSettings, pace: Pace = PACE): Promise<Engine> {
  const config = parseTinkerSettings(settings)
  const model = readModelConfig(config.folder)
  const connection = new Connection(config, keyIn(config.keyVariable), pace)
  let session: Session | null = null
  try {
    session = await Session.open(connection)
    const remote = await RemoteModel.create(connection, session)
    const trainer = new TinkerTrainer(connection, session, model, remote)
    return { config: model, trainer: () => trainer, close: () => trainer.close() }
  } catch (error) {
    session?.close()
    connection.close()
    throw error
  }
}
