import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Agent,
  alfworldTranscript,
  alfworldWindow,
  declaredShape,
  type ToolForm,
  tau2Agent,
  tau2SmallAgent,
  toolsAgent,
  toolsTranscriptAgent,
  transcriptAgent,
  windowAgent,
} from '../agents/index.ts'
import { gigabytes, hash32, UserError } from '../core/index.ts'
import {
  type Engine,
  type EngineChoice,
  type EngineFact,
  type EngineNeeds,
  LORA_CHOICES,
  type Lora,
  type ModelConfig,
  machineMemory,
  openLocalEngine,
  type Provider,
  readModelConfig,
  trainingMemory,
} from '../engines/index.ts'
import {
  alfworldEnvironment,
  type Environment,
  guarded,
  isTau2,
  type Tau2Environment,
  withHeldOut,
} from '../environments/index.ts'
import type { Config } from '../stages/index.ts'
import { type ChatFormat, loadChatFormat } from '../tokens/index.ts'

/** What is given in code instead of by settings. */
export interface Given {
  environment?: Environment
  agent?: Agent
  /** Where the model is trained and sampled from. Default: this machine. */
  engine?: EngineChoice
}

/** What an experiment is made of, before there is a run folder. */
export interface Parts {
  environment: Environment
  agent: Agent
  format: ChatFormat
  /** Folder of the base model. */
  baseModel: string
  threads: number
  /** What ONNX Runtime computes with. */
  provider: Provider
  /** Most tokens in one pass of training; absent: by memory. */
  rowBudget: number | undefined
  /** The adapter that is trained beside it; absent: all of its weights are. */
  lora: Lora | undefined
  /** Not this machine. */
  engine: EngineChoice | undefined
}

/** The package's own folder, wherever it is installed. */
export const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))

/** Environment, agent and model folder of an experiment. @throws UserError where one of them is missing. */
export function partsOf(config: Config, given: Given, warn: (message: string) => void): Parts {
  const baseModel = modelFolder(config.model.path, given.engine !== undefined)
  const format = formatOf(config, baseModel)
  const environment = given.environment ? withHeldOut(guarded(given.environment), warn) : environmentOf(config, warn)
  return {
    environment,
    agent: given.agent ?? (given.environment ? agentFor(config, environment, format) : agentOf(config, false)),
    format,
    baseModel,
    threads: config.model.threads || cpus().length,
    provider: config.model.provider,
    rowBudget: config.model.tokenBudget || undefined,
    lora: loraOf(config),
    engine: given.engine,
  }
}

/** How a model reads and writes conversations, as the settings have it. */
export function formatOf({ agent }: Config, folder: string): ChatFormat {
  return loadChatFormat(folder, agent.thinking === 'template' ? {} : { enableThinking: agent.thinking === 'on' })
}

function loraOf({ model }: Config): Lora | undefined {
  const { rank, alpha, targets } = model.lora
  return rank === 0 ? undefined : { rank, alpha, targets: LORA_CHOICES[targets] }
}

/** The base model, ready to sample and train; close it. @throws UserError where it does not fit this machine's memory, or the engine. */
export async function openEngine(parts: Parts, config: Config): Promise<Engine> {
  const { baseModel, threads, provider, rowBudget, lora, engine } = parts
  if (engine) return await engine.open(needsOf(parts, config))
  refuseWithoutMemory(readModelConfig(baseModel), lora)
  return openLocalEngine(baseModel, { threads, provider, rowBudget, lora })
}

/** What an experiment asks of the engine that it names. */
export function needsOf({ baseModel, lora }: Pick<Parts, 'baseModel' | 'lora'>, config: Config): EngineNeeds {
  const { worldModel, policy, optimiser } = config
  return {
    folder: baseModel,
    lora,
    clipNorm: optimiser.clipNorm,
    entropy: [worldModel.entropy, policy.entropy],
    temperatures: [worldModel.temperature, policy.temperature],
  }
}

/** What can be found out about the engine that an experiment names, without training; null where it names none. */
export async function inspectEngine(
  { engine }: Given,
  config: Config,
): Promise<{ description: string; facts: EngineFact[] } | null> {
  if (!engine) return null
  const lost: EngineFact[] = []
  let baseModel = resolve(config.model.path)
  try {
    baseModel = modelFolder(config.model.path, true)
  } catch (error) {
    // The server can be looked at all the same.
    if (!(error instanceof UserError)) throw error
    lost.push({ what: 'model folder', ok: false, note: error.message })
  }
  const needs = needsOf({ baseModel, lora: loraOf(config) }, config)
  return { description: engine.description, facts: [...lost, ...(await engine.inspect(needs))] }
}

/** ALFWorld, as the settings say. */
export function environmentOf(config: Config, warn: (message: string) => void): Environment {
  const { source, data, size, kind, tasks } = config.environment
  const kinds = kind === 'all' ? undefined : [kind]
  if (source === 'data') return alfworldEnvironment({ data: data || undefined, kinds, warn })
  // Every seed has households of its own, so that several seeds are several samples of what there is.
  return alfworldEnvironment({
    generate: { size, counts: tasks, seed: hash32('households', config.seed) },
    kinds,
    warn,
  })
}

/** Logs of calls and users are asked about as such; everything else is text. */
function agentFor(config: Config, environment: Environment, format: ChatFormat): Agent {
  if (isTau2(environment)) return tau2AgentOf(config, environment, format)
  const turns = environment.recorded?.('train').flatMap((one) => one.turns) ?? []
  const called = turns.some(({ observation }) => observation.from !== 'environment')
  return called ? toolsAgentOf(config, toolFormOf(config, format)) : agentOf(config, true)
}

/** τ²-bench: the paper's form with what tools declare to return, or the short one for small models. */
function tau2AgentOf(config: Config, environment: Tau2Environment, format: ChatFormat): Agent {
  const { agent } = config
  if (agent.style === 'transcript') return tau2SmallAgent(agent)
  const declared = [...environment.returns()].flatMap(([name, schema]) => {
    const shape = declaredShape(schema)
    return shape ? [[name, shape] as const] : []
  })
  return tau2Agent({ ...agent, toolCalls: toolFormOf(config, format), shapes: new Map(declared) })
}

/** How a model is asked that calls tools or talks with a user. */
export function toolsAgentOf({ agent }: Config, toolCalls: ToolForm = 'text'): Agent {
  return agent.style === 'transcript' ? toolsTranscriptAgent() : toolsAgent({ ...agent, toolCalls })
}

/** @throws UserError where the template is to show tools and cannot. */
function toolFormOf({ agent: { toolCalls } }: Config, { template }: ChatFormat): ToolForm {
  if (toolCalls === 'text') return 'text'
  if (template.takesTools) return 'template'
  if (toolCalls === 'auto') return 'text'
  throw new UserError(
    'the chat template of this model shows no tools, or has calls in another form than <tool_call>{"name": …}</tool_call>: set agent.toolCalls to text',
    2,
  )
}

/** How the settings say the model plays; `own`: an environment given in code. */
export function agentOf({ agent }: Config, own: boolean): Agent {
  if (own) return agent.style === 'transcript' ? transcriptAgent() : windowAgent(agent)
  return agent.style === 'transcript' ? alfworldTranscript : alfworldWindow(agent)
}

/**
 * A model folder: as given, or beside the package (the shipped miniature). `elsewhere`: its weights are not needed here.
 * @throws UserError where there is none
 */
export function modelFolder(path: string, elsewhere = false): string {
  const found = [resolve(path), join(PACKAGE, path)].find((folder) => existsSync(join(folder, 'config.json')))
  if (found) return found
  const what = elsewhere
    ? "config.json, tokenizer.json and tokenizer_config.json of the engine's model have to be there, without weights (docs/cluster.md has the command)"
    : 'a model folder holds config.json and model.safetensors ("rwml model import" makes one of a GGUF file or a name on the Hugging Face hub)'
  throw new UserError(`no model at ${resolve(path)}: ${what}`)
}

function refuseWithoutMemory(config: ModelConfig, lora: Lora | undefined): void {
  const needed = trainingMemory(config, lora)
  const memory = machineMemory()
  if (needed <= memory) return
  throw new UserError(
    `training this model takes about ${gigabytes(needed)} of memory and this machine has ${gigabytes(memory)}: ${lora ? 'take a smaller model' : 'train an adapter (model.lora.rank 16), or take a smaller model'}`,
  )
}
