import { existsSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type Agent, alfworldTranscript, alfworldWindow } from '../agents/index.ts'
import { UserError } from '../core/index.ts'
import { MeteredTrainer, openLocalEngine, parameterCount } from '../engines/index.ts'
import { alfworldEnvironment, type Environment } from '../environments/index.ts'
import type { Config, ResolvedConfig, StageContext, StageProgress } from '../stages/index.ts'
import { hashOf, JsonLines, RunFolder, type RunInfo, writeJson } from '../store/index.ts'
import { loadChatFormat } from '../tokens/index.ts'

export interface RunOptions {
  /** The run folder. */
  out: string
  resolved: ResolvedConfig
  method: string
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
  return alfworldEnvironment({ generate: { size, counts: tasks, seed: 0 } })
}

function agentOf({ agent }: Config): Agent {
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
  const lock = run.lock()
  try {
    const configHash = hashOf(config)
    checkResume(run, options, configHash)
    const baseModel = modelFolder(config.model.path)
    const environment = environmentOf(config, options.warn)
    const engine = await openLocalEngine(baseModel, { threads: config.model.threads || cpus().length })
    const trainer = new MeteredTrainer(engine.trainer())
    const now = new Date().toISOString()
    const info: RunInfo = {
      method: options.method,
      command: options.command,
      status: 'running',
      seed: config.seed,
      environment: describeEnvironment(config),
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
      agent: agentOf(config),
      format: loadChatFormat(baseModel),
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

function checkResume(run: RunFolder, { resume, out, command }: RunOptions, configHash: string): void {
  const begun = existsSync(run.runFile)
  if (begun && !resume) {
    throw new UserError(
      `${out} already holds a run: go on with "${command} --out ${out} --resume", or name another folder`,
    )
  }
  if (begun && run.readInfo().configHash !== configHash) {
    throw new UserError(`${out} was begun with other settings: resume it with those, or name another folder`)
  }
}

function describeEnvironment(config: Config): string {
  const { source, size, data } = config.environment
  return source === 'generated'
    ? `alfworld, ${size} generated households`
    : `alfworld, games of ${data || 'the data folder'}`
}

/** First line of the model's own description, where it has one. */
function describeModel(folder: string): string {
  const path = join(folder, 'DESCRIPTION')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n')[0] : ''
}
