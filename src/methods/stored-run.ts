import { z } from 'zod'
import type { Agent } from '../agents/index.ts'
import { type Transition, UserError } from '../core/index.ts'
import { type Config, resolveConfig } from '../stages/index.ts'
import { type RunFolder, readJson } from '../store/index.ts'
import { alfworldPreset } from './alfworld.ts'
import { AGENT, agentHash } from './identity.ts'
import { agentOf, type Given, partsOf, toolsAgentOf } from './parts.ts'

/** The environment whose texts are known without its games. */
export const ALFWORLD = 'alfworld'

const fieldsSchema = z.array(z.object({ path: z.string(), value: z.unknown() }))

/** The settings of a run. @throws UserError where its config.json is not one of this version. */
export function configOf(run: RunFolder): Config {
  const fields = readJson(run.configFile, fieldsSchema)
  try {
    return resolveConfig(alfworldPreset, Object.fromEntries(fields.map(({ path, value }) => [path, value]))).config
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    throw new UserError(`${run.configFile}: ${error.message}; was the run begun with another version of rwml?`)
  }
}

/** Who talks with a user or calls tools is asked as such. */
export function knownAgent(config: Config, train: readonly Transition[]): Agent {
  if (train.every(({ next }) => next.from === 'environment')) {
    return agentOf(config, config.environment.name !== ALFWORLD)
  }
  return toolsAgentOf(config)
}

/**
 * The very agent of a run, in the words that it asked in. `given`: from the experiment's own file, where an environment decides
 * who plays it as well.
 * @throws UserError where it is another, or one that settings do not say
 */
export function agentOfRun(run: RunFolder, config: Config, train: readonly Transition[], given: Given = {}): Agent {
  const then = run.readInfo().begunWith[AGENT]
  const own = given.agent ?? (given.environment && partsOf(config, given, () => {}).agent)
  const text = own ?? knownAgent(config, train)
  // Imported logs have not been asked about yet: any agent will do.
  if (then === undefined || agentHash(text) === then) return text
  if (own)
    throw new UserError(`${run.path} was played by another agent than this experiment’s: give the experiment of then`)
  const shown = toolsAgentOf(config, 'template')
  if (agentHash(shown) === then) return shown
  throw new UserError(
    `the agent of ${run.path} was given in code, or is one of another version: name its experiment file with --experiment`,
  )
}
