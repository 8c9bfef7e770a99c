import { UserError } from '../core/index.ts'
import type { Sampler } from '../engines/index.ts'
import type { Checkpoint } from '../store/index.ts'
import { latestCheckpoint, saveCheckpoint } from './checkpoints.ts'
import type { StageContext } from './context.ts'

export interface TrainLoop {
  /** Names the stage in metrics and checkpoints. */
  stage: string
  title: string
  /** Model folder the stage starts from; also the frozen reference of a KL term. */
  start: string
  steps: number
  /** Keep a frozen copy of the start for `step`. */
  reference: boolean
  /** Checkpoints after these many steps are kept beside the newest: a learning curve is evaluated on them. */
  keep?: readonly number[]
  /** One optimiser step; a pure function of the step and the training state. Returns the figures to log. */
  step(step: number, reference: Sampler | null): Promise<Record<string, number>>
  /** What progress shows of the figures. */
  note(metrics: Record<string, number>): string
}

/** Steps between checkpoints. Counted, not timed: which checkpoints a run leaves must not depend on a clock. */
const SAVE_EVERY = 20

/** Whether a checkpoint is left after `done` steps. */
export function savesAfter(done: number, { steps, keep = [] }: Pick<TrainLoop, 'steps' | 'keep'>): boolean {
  return done % SAVE_EVERY === 0 || done === steps || keep.includes(done)
}

/**
 * The loop of every training stage: step, log, save. Goes on from the stage's last checkpoint and replays what came after
 * it to the same bits; a finished stage returns at once. Ctrl-C saves the last whole step.
 */
export async function trainLoop(context: StageContext, loop: TrainLoop): Promise<Checkpoint> {
  const { trainer, progress, signal, run } = context
  const { stage, steps, keep = [] } = loop
  const last = latestCheckpoint(run, stage)
  if (last && last.step >= steps) return last
  await trainer.loadWeights(loop.start)
  const reference = loop.reference ? await trainer.freeze() : null
  if (last) await trainer.load(last.path)
  context.rewind(stage, last?.step ?? 0)
  const began = performance.now()
  progress.start(loop.title, steps)
  let done = last?.step ?? 0
  let saved = last
  let inStep = false
  try {
    while (done < steps) {
      signal.throwIfAborted()
      inStep = true
      const metrics = await loop.step(done, reference)
      context.log({ stage, step: done, time: Math.round(performance.now() - began), ...metrics })
      done++
      inStep = false
      progress.update(done, loop.note(metrics))
      if (savesAfter(done, loop)) {
        saved = await saveCheckpoint(trainer, run, stage, done, keep)
      }
    }
  } catch (error) {
    // Only where it was Ctrl-C that ended it, which is asked for while nothing is being updated: weights and `done` then speak
    // of the same step.
    const stopped = signal.aborted && error === signal.reason
    if (stopped && done > (saved?.step ?? 0)) await saveCheckpoint(trainer, run, stage, done, keep)
    throw inStep && !stopped ? stepFailure(error, loop.title, done + 1, saved) : error
  } finally {
    // Where the engine has ended, that is what the step failed at: it is said already.
    await reference?.close().catch(() => undefined)
  }
  progress.finish()
  return saved ?? saveCheckpoint(trainer, run, stage, done, keep)
}

/** What a step failed at, with which step it was and what there is of the stage before it. */
function stepFailure(error: unknown, title: string, step: number, saved: Checkpoint | null): unknown {
  if (!(error instanceof UserError)) return error
  const before = saved ? `the last checkpoint is ${saved.path}` : 'there is no checkpoint of it yet'
  const failure = new UserError(`${title}, step ${step}: ${error.message} (${before})`, error.exitCode)
  failure.cause = error.cause ?? error
  return failure
}
