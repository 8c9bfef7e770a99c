import { setMaxListeners } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { shellQuote, UserError } from '../core/index.ts'
import { MeteredTrainer, modelFlops, parameterCount } from '../engines/index.ts'
import { type Environment, HELD_OUT } from '../environments/index.ts'
import type { Config, ResolvedConfig, StageContext, StageProgress } from '../stages/index.ts'
import { JsonLines, RunFolder, type RunInfo, readJson, removeIfEmpty, writeJson } from '../store/index.ts'
import { identityOf } from './identity.ts'
import { type Method, requireNames } from './method.ts'
import { type Given, openEngine, PACKAGE, partsOf } from './parts.ts'

export interface RunOptions extends Given {
  /** The run folder. */
  out: string
  resolved: ResolvedConfig
  method: Method
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
  /** Write down how it ended, give up the lock, end the engine. Closing again changes nothing. */
  close(status: RunInfo['status']): Promise<void>
}

const packageSchema = z.object({ version: z.string() })
const metricSchema = z.looseObject({ stage: z.string(), step: z.number(), time: z.number() })

/** Open everything a method needs, in a new run folder or, with `resume`, in one that was begun with the same settings. */
export async function openRun(options: RunOptions): Promise<OpenRun> {
  const { resolved, signal } = options
  // Every episode that waits for its environment listens: a wave has hundreds.
  setMaxListeners(0, signal)
  const { config } = resolved
  // What the user named is looked at before anything is written, and before hours of work that would end at it.
  const parts = partsOf(config, options, options.warn)
  const { environment, agent, format, baseModel } = parts
  requireTasks(environment)
  requireNames(options.method)
  const run = RunFolder.create(options.out)
  const lock = run.lock(options.command)
  try {
    const begunWith = identityOf(config, options.method, parts)
    checkResume(run, options, begunWith)
    const engine = await openEngine(parts, config)
    const trainer = new MeteredTrainer(engine.trainer(), modelFlops(engine.config, parts.lora))
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
      engine: parts.engine?.description,
      ...whereItRan(),
      begunWith,
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
        const lines = [...metrics]
        const first = lines.findIndex((line) => line.stage === stage && line.step >= step)
        if (first < 0) return
        metrics.truncate(first)
        // Other stages may have gone on from where this one stood before.
        metrics.append(lines.slice(first).filter((line) => line.stage !== stage))
      },
      progress: options.progress,
      warn: options.warn,
      signal,
    }
    let closed = false
    const end = (status: RunInfo['status']) => {
      process.off('exit', onExit)
      try {
        run.writeInfo({ ...info, status, finishedAt: status === 'finished' ? new Date().toISOString() : null })
      } catch (error) {
        // Why it failed is what matters: that this cannot be written down either (a full disk) must not hide it.
        if (status === 'finished') throw error
      } finally {
        metrics.close()
        lock.release()
      }
    }
    // A second Ctrl-C does not wait for anything: that it was interrupted can still be written down.
    const onExit = () => end('interrupted')
    process.on('exit', onExit)
    return {
      context,
      async close(status) {
        if (closed) return
        closed = true
        try {
          end(status)
        } finally {
          await engine.close()
        }
      },
    }
  } catch (error) {
    lock.release()
    removeIfEmpty(run.path)
    throw error
  }
}

/** @throws UserError where there is nothing to train on, or a split that is to be evaluated is there and empty. */
export function requireTasks(environment: Environment): void {
  const there = environment.splits()
  for (const split of ['train', ...HELD_OUT.filter((one) => there.includes(one))]) {
    if (environment.tasks(split).length > 0) continue
    throw new UserError(`the environment ${environment.name} has no task in its split "${split}"`)
  }
}

/** This machine, and the versions of the package and of Node. */
export function whereItRan(): Pick<RunInfo, 'machine' | 'version' | 'node'> {
  return {
    machine: { cpu: cpus()[0].model, cores: cpus().length, memory: totalmem() },
    version: packageSchema.parse(JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))).version,
    node: process.version,
  }
}

function checkResume(run: RunFolder, options: RunOptions, now: Record<string, string>): void {
  const { resume, out, command, resolved } = options
  const begun = existsSync(run.runFile)
  if (!begun && resume) options.warn(`${out} holds no run to go on with: a new one begins`)
  if (begun && !resume) {
    throw new UserError(
      `${out} already holds a run: go on with "${command} --out ${shellQuote(out)} --resume", or name another folder`,
    )
  }
  if (!begun) return
  const then = run.readInfo().begunWith
  const other = [...new Set([...Object.keys(then), ...Object.keys(now)])].find((name) => then[name] !== now[name])
  if (other === undefined) return
  const difference = other === 'settings' ? settingThen(run, resolved) : `another ${other}`
  throw new UserError(`${out} was begun with ${difference}: resume it with that, or name another folder`)
}

const fieldsSchema = z.array(z.object({ path: z.string(), value: z.union([z.number(), z.string(), z.boolean()]) }))

/** The first setting that was another when the run began. */
function settingThen(run: RunFolder, { fields }: ResolvedConfig): string {
  const then = new Map(readJson(run.configFile, fieldsSchema).map(({ path, value }) => [path, value]))
  const other = fields.find(({ path, value }) => then.get(path) !== value)
  return other ? `${other.path} = ${then.get(other.path) ?? 'nothing'}, not ${other.value}` : 'other settings'
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
