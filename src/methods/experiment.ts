import type { Agent } from '../agents/index.ts'
import { UserError } from '../core/index.ts'
import type { EngineChoice } from '../engines/index.ts'
import type { Environment } from '../environments/index.ts'
import { type Config, type ResolvedConfig, resolveConfig } from '../stages/index.ts'
import { alfworldPreset } from './alfworld.ts'
import { alfworldQwenPreset, tau2QwenPreset } from './cluster.ts'
import { METHODS, type Method } from './method.ts'
import { miniDataPreset, miniPreset } from './mini.ts'
import { toolsPreset } from './tools.ts'

/**
 * Settings to start from: the miniature's on generated households or on ALFWorld's games, the paper's on ALFWorld, the paper's
 * for conversations with tools; and the paper's with the models that it trained.
 */
export const PRESETS = {
  mini: miniPreset,
  'mini-data': miniDataPreset,
  alfworld: alfworldPreset,
  tools: toolsPreset,
  'alfworld-qwen2.5-7b': alfworldQwenPreset,
  'tau2-qwen3-8b': tau2QwenPreset,
} as const

type Settings<T> = { [K in keyof T]?: T[K] extends object ? Settings<T[K]> : T[K] }

/** What an experiment file says: everything that it leaves out is the preset's. */
export interface Experiment {
  /** Default `mini`. */
  preset?: keyof typeof PRESETS
  /** By name, or a list of stages. Default `rwml`. */
  method?: Method | string
  /** Your own environment. Default: ALFWorld, as the settings say. */
  environment?: Environment
  /** How the model plays it. Default: the one that the settings name. */
  agent?: Agent
  /** Where the model is trained and sampled from: `tinkerEngine({ … })`. Default: this machine. */
  engine?: EngineChoice
  /** Where the run goes when the command line does not say. */
  out?: string
  settings?: Settings<Config>
}

/** An experiment, typed: an editor completes its fields. `export default defineConfig({ … })`. */
export function defineConfig(experiment: Experiment): Experiment {
  return experiment
}

/** The method an experiment names. @throws UserError for an unknown name. */
export function methodOf({ method = 'rwml' }: Experiment): Method {
  if (typeof method !== 'string') return method
  const found = METHODS.find(({ name }) => name === method)
  if (!found) {
    throw new UserError(`no method is called "${method}"; there are ${METHODS.map(({ name }) => name).join(', ')}`, 2)
  }
  return found
}

/**
 * Preset, then the experiment's settings, then `overrides` (dotted paths), validated.
 * @throws UserError for an unknown preset or setting, a value out of range, or a setting that an own environment makes void.
 */
export function settingsOf(experiment: Experiment, overrides: Record<string, unknown> = {}): ResolvedConfig {
  const { preset = 'mini', environment, settings = {} } = experiment
  const known = Object.hasOwn(PRESETS, preset)
  if (!known) throw new UserError(`no preset is called "${preset}"; there are ${Object.keys(PRESETS).join(', ')}`, 2)
  const given = { ...dotted(settings), ...overrides }
  if (!environment) return resolveConfig(PRESETS[preset], given)
  const isVoid = (path: string) => path.startsWith('environment.')
  const [without] = Object.keys(given).filter(isVoid)
  if (without)
    throw new UserError(`"${without}" is a setting of ALFWorld, and the experiment has its own environment`, 2)
  const { config, fields } = resolveConfig(PRESETS[preset], { ...given, 'environment.name': environment.name })
  return { config, fields: fields.filter(({ path }) => !isVoid(path) || path === 'environment.name') }
}

/** Settings by dotted path, as `--set` names them. */
export function dotted(settings: object, prefix = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(dotted(value, `${prefix}${key}.`))
        : [[prefix + key, value]],
    ),
  )
}
