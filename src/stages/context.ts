import type { Agent } from '../agents/index.ts'
import type { TokenCounts, Trainer } from '../engines/index.ts'
import type { Environment } from '../environments/index.ts'
import type { MetricLine } from '../evaluation/index.ts'
import type { RunFolder } from '../store/index.ts'
import type { ChatFormat } from '../tokens/index.ts'
import type { Config } from './config.ts'

/** Shown while a stage works; the command line draws it. */
export interface StageProgress {
  start(title: string, total: number): void
  update(done: number, note?: string): void
  finish(note?: string): void
}

/** What every stage works with. Stages read and write the run folder, and nothing else. */
export interface StageContext {
  run: RunFolder
  config: Config
  environment: Environment
  agent: Agent
  format: ChatFormat
  trainer: Trainer
  /** What went through the trainer so far. */
  tokens: Readonly<TokenCounts>
  /** Folder of the base model. */
  baseModel: string
  log(line: MetricLine): void
  /** Drop the logged lines of a stage from this step on: it goes on from there, and will log them again. */
  rewind(stage: string, step: number): void
  progress: StageProgress
  /** A notice to the user: something is not as it should be, and the run goes on. */
  warn(message: string): void
  /** Aborted by Ctrl-C: a stage then saves what it has and throws the signal's reason. */
  signal: AbortSignal
}
