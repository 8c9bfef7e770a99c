import { Random, type TokenSequence } from '../core/index.ts'
import { learningRateAt, sftUpdate } from '../learning/index.ts'
import type { Checkpoint } from '../store/index.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'
import { stepsOf } from './plan.ts'
import { trainLoop } from './train-loop.ts'

/** A sequence to learn, and how many of its oldest turns were left out, where its prompt may be shortened. */
type Example = Pick<TokenSequence, 'tokens' | 'mask'> & { omitted?: number }

export interface Supervision<T> {
  stage: string
  title: string
  /** Model folder it starts from; with `settings.kl`, also what it is pulled to. */
  start: string
  settings: {
    learningRate: number
    batch: number
    epochs: number
    maxSteps?: number
    warmupSteps?: number
    kl?: Config['worldModelSft']['kl']
  }
  keep?: readonly number[]
  /** Asked when its step comes: the sequences of all at once may be more than memory holds. */
  exampleOf(item: T): Example
}

/** Supervised training on items, in another seeded order each epoch. */
export function supervised<T>(
  context: StageContext,
  items: readonly T[],
  { stage, title, start, settings, keep, exampleOf }: Supervision<T>,
): Promise<Checkpoint> {
  const { trainer, config } = context
  const { batch, learningRate: peak, warmupSteps = 0, kl: term } = settings
  const perEpoch = Math.ceil(items.length / batch)
  return trainLoop(context, {
    stage,
    title,
    start,
    steps: stepsOf(items.length, settings),
    reference: (term?.coefficient ?? 0) > 0,
    keep,
    async step(step, reference) {
      const order = new Random(stage, config.seed, Math.floor(step / perEpoch)).shuffle(items)
      const at = (step % perEpoch) * batch
      const examples = order.slice(at, at + batch).map(exampleOf)
      const learningRate = learningRateAt({ kind: 'constant', peak, warmupSteps }, step)
      const adam = { ...config.optimiser, learningRate }
      const update = await sftUpdate(trainer, examples, adam, term && reference ? { term, reference } : undefined)
      const omitted = examples.flatMap((one) => one.omitted ?? [])
      return { ...update, ...(omitted.length > 0 && { shortened: omitted.filter((turns) => turns > 0).length }) }
    },
    note: ({ loss }) => `loss ${loss.toFixed(3)}`,
  })
}
