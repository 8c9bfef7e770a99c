import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type Agent, alfworldTranscript, alfworldWindow } from '../agents/index.ts'
import { hash32, shellQuote, UserError } from '../core/index.ts'
import { MeteredTrainer, type ModelConfig, openLocalEngine, parameterCount, trainingMemory } from '../engines/index.ts'
import { alfworldEnvironment, type Environment } from '../environments/index.ts'
import type { Config, ResolvedConfig, StageContext, StageProgress } from '../stages/index.ts'
import { hashOf, JsonLines, RunFolder, type RunInfo, readJson, writeJson } from '../store/index.ts'
import { loadChatFormat } from '../tokens/index.ts'
import type { Method } from './method.ts'

export interface RunOptions {
  /** The run folder. */
  out: string
  resolved: ResolvedConfig
  method: Method
  /** An environment and an agent given in code, instead of those that the settings name. */
  environment?: Environment
  agent?: Agent
  /** How the run was started, for the report's hints. */
  command: string
  resume: boolean
  progress: StageProgress
  signal: AbortSignal
  /** Where notices go. */
  warn(message: string): void
}

export interface OpenRun {
  context: StageContext
  /** Write down how it ended, give up the lock, end the engine. */
  close(status: RunInfo['status']): Promise<void>
}

/** The package's own folder, wherever it is installed. */
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))

const packageSchema = z.object({ version: z.string() })
const metricSchema = z.looseObject({ stage: z.string(), step: z.number(), time: z.number() })

export function environmentOf(config: Config, warn: (message: string) => void): Environment {
  const { source, data, size, tasks } = config.environment
  if (source === 'data') return alfworldEnvironment({ data: data || undefined, warn })
  // Every seed has households of its own, so that several seeds are several samples of what there is.
  return alfworldEnvironment({ generate: { size, counts: tasks, seed: hash32('households', config.seed) } })
}

/** How the settings say the model plays. */
export function agentOf({ agent }: Config): Agent {
  return agent.style === 'transcript' ? alfworldTranscript : alfworldWindow(agent)
}

/** A model folder: as given, or beside the package (the shipped miniature). */
export function modelFolder(path: string): string {
  const found = [resolve(path), join(PACKAGE, path)].find((folder) => existsSync(join(folder, 'config.json')))
  if (!found)
    throw new UserError(`no model at ${resolve(path)}: a model folder holds config.json and model.safetensors`)
  return found
}

/** Open everything a method needs, in a new run folder or, with `resume`, in one that was begun with the same settings. */
export async function openRun(options: RunOptions): Promise<OpenRun> {
  const { resolved, signal } = options
  const { config } = resolved
  const run = RunFolder.create(options.out)
  const lock = run.lock(options.command)
  try {
    const baseModel = modelFolder(config.model.path)
    const threads = config.model.threads || cpus().length
    const environment = options.environment ?? environmentOf(config, options.warn)
    const agent = options.agent ?? agentOf(config)
    const configHash = hashOf({
      config,
      threads,
      model: modelHash(baseModel),
      method: options.method.stages.map(({ name, options }) => ({ name, options })),
      environment: environment.name,
      agent: agent.name,
    })
    checkResume(run, options, configHash)
    const format = loadChatFormat(baseModel)
    const engine = await openLocalEngine(baseModel, { threads })
    refuseWithoutMemory(engine.config)
    const trainer = new MeteredTrainer(engine.trainer())
    const now = new Date().toISOString()
    const info: RunInfo = {
      method: options.method.name,
      command: options.command,
      status: 'running',
      seed: config.seed,
      environment: options.environment ? environment.name : describeEnvironment(config),
      model: {
        name: config.model.path,
        parameters: parameterCount(engine.config),
        description: describeModel(baseModel),
      },
      machine: { cpu: cpus()[0].model, cores: cpus().length, memory: totalmem() },
      version: packageSchema.parse(JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))).version,
      node: process.version,
      configHash,
      startedAt: existsSync(run.runFile) ? run.readInfo().startedAt : now,
    }
    run.writeInfo(info)
    writeJson(run.configFile, resolved.fields)
    const metrics = new JsonLines(run.metricsFile, metricSchema)
    const context: StageContext = {
      run,
      config,
      environment,
      agent,
      format,
      trainer,
      tokens: trainer.counts,
      baseModel,
      log: (line) => metrics.append([line]),
      rewind(stage, step) {
        for (let i = 0; i < metrics.length; i++) {
          const line = metrics.at(i)
          if (line.stage === stage && line.step >= step) return metrics.truncate(i)
        }
      },
      progress: options.progress,
      warn: options.warn,
      signal,
    }
    return {
      context,
      async close(status) {
        run.writeInfo({ ...info, status, finishedAt: status === 'finished' ? new Date().toISOString() : null })
        metrics.close()
        lock.release()
        await engine.close()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

function checkResume(run: RunFolder, options: RunOptions, configHash: string): void {
  const { resume, out, command, resolved } = options
  const begun = existsSync(run.runFile)
  if (begun && !resume) {
    throw new UserError(
      `${out} already holds a run: go on with "${command} --out ${shellQuote(out)} --resume", or name another folder`,
    )
  }
  if (begun && run.readInfo().configHash !== configHash) {
    throw new UserError(
      `${out} was begun with ${differenceOf(run, resolved)}: resume it with that, or name another folder`,
    )
  }
}

const fieldsSchema = z.array(z.object({ path: z.string(), value: z.union([z.number(), z.string(), z.boolean()]) }))

/** What a run's folder was begun with that is not so now: the first setting, or what no setting holds. */
function differenceOf(run: RunFolder, { fields }: ResolvedConfig): string {
  const then = new Map(readJson(run.configFile, fieldsSchema).map(({ path, value }) => [path, value]))
  const other = fields.find(({ path, value }) => then.get(path) !== value)
  if (!other) return 'another method, model, agent or number of threads'
  return `${other.path} = ${then.get(other.path) ?? 'nothing'}, not ${other.value}`
}

function describeEnvironment(config: Config): string {
  const { source, size, data } = config.environment
  return source === 'generated'
    ? `alfworld, ${size} generated households`
    : `alfworld, games of ${data || 'the data folder'}`
}

/** What a run hangs on besides its settings: weights and tokenizer. */
function modelHash(folder: string): string {
  const hash = createHash('sha256')
  for (const name of ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json']) {
    const path = join(folder, name)
    if (existsSync(path)) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

function refuseWithoutMemory(config: ModelConfig): void {
  const needed = trainingMemory(config)
  if (needed <= totalmem()) return
  const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`
  throw new UserError(
    `training this model takes about ${gigabytes(needed)} of memory and this machine has ${gigabytes(totalmem())}: take a smaller model`,
  )
}

/** First line of the model's own description, where it has one. */
function describeModel(folder: string): string {
  const path = join(folder, 'DESCRIPTION')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n')[0] : ''
}
