import type { Sampler, Trainer } from '../engines/index.ts'
import type { Rollout } from './group-step.ts'

export interface AheadOptions {
  trainer: Pick<Trainer, 'sampler' | 'freeze'>
  /** How many steps older than the weights that learn from it a rollout may be; 0 = strictly on-policy. */
  maxLag: number
  /** Steps of the stage. */
  steps: number
  /** Whether a checkpoint is left after so many steps. */
  saved(done: number): boolean
  rollout(step: number, sampler: Sampler): Promise<Rollout>
}

interface Begun {
  /** Steps that its weights had been trained for. */
  version: number
  rollout: Promise<Rollout>
}

/**
 * Rollouts of the steps to come, sampled from frozen copies of the weights while earlier ones are trained on: each step begins the
 * one that is `maxLag` ahead. None is begun beyond the next checkpoint, because a run that goes on from there has no older weights:
 * so which weights a step's rollouts come from depends on the step alone, and a resumed run is the same run. What is learned
 * from older weights is corrected by the importance ratio of the loss, whose denominator are the log-probabilities of the weights
 * that sampled.
 */
export class RolloutsAhead {
  private readonly options: AheadOptions
  private readonly begun = new Map<number, Begun>()

  constructor(options: AheadOptions) {
    this.options = options
  }

  /** The rollout of a step, to be asked for in order. Its metrics say how old it is, and how long was waited for it. */
  async of(step: number): Promise<Rollout> {
    const { trainer, maxLag, rollout } = this.options
    if (maxLag === 0) return await rollout(step, trainer.sampler())
    await this.begin(step)
    const { version, rollout: promised } = this.begun.get(step)!
    const began = performance.now()
    const { groups, metrics } = await promised
    this.begun.delete(step)
    const waitedSeconds = Math.round(performance.now() - began) / 1000
    return { groups, metrics: { ...metrics, lag: step - version, waitedSeconds } }
  }

  /** Once what is under way has ended, however it ends. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.begun.values()].map(({ rollout }) => rollout))
  }

  /** Begins with the weights of this moment, which were trained for `step` steps, what may be begun and is not yet. */
  private async begin(step: number): Promise<void> {
    const { trainer, maxLag, steps, saved, rollout } = this.options
    const next: number[] = []
    for (let at = step; at <= step + maxLag && at < steps && (at === step || !saved(at)); at++) {
      if (!this.begun.has(at)) next.push(at)
    }
    if (next.length === 0) return
    const frozen = await trainer.freeze()
    const rollouts = next.map((at) => rollout(at, frozen))
    next.forEach((at, i) => {
      this.begun.set(at, { version: step, rollout: rollouts[i] })
    })
    // Whoever waits for a rollout hears of its failure; the copy has served when all have ended.
    void Promise.allSettled(rollouts).then(() => frozen.close().catch(() => undefined))
  }
}
