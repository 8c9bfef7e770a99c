/** What a stage took, and what it rests on: what its record tells. */
export interface StageWork {
  name: string
  title: string
  seconds: number
  tokensSampled?: number
  tokensTrained?: number
  /** Absent in older records, as are the others below. */
  tokensRead?: number
  flops?: number
  /** The stage whose model it started from, or a model folder; none where it trained no model that is evaluated. */
  from?: string
  /** The stage whose model it learned from without starting there. */
  teacher?: string
  /** Names of the models it left to evaluate; the last is the one it ended with. */
  arms?: string[]
  /** What it read of earlier stages, and what it made for later ones. */
  reads?: string[]
  makes?: string[]
}

/** What it took to get a model: its own training and all that it rests on. */
export interface ArmCost {
  arm: string
  /** Names of the stages, in the order they ran. */
  stages: string[]
  seconds: number
  sampled: number
  trained: number
  read: number
  /** Null where a stage did not count them. */
  flops: number | null
  /** A model folder of another run that it starts from, whose cost is not in here. */
  elsewhere: string | null
}

/**
 * The cost of every arm that a training stage ended with. An arm pays for each stage that it rests on: those it starts from, and
 * those that made what it learns from (collection, filter, a reward). A stage that several arms rest on counts in full for each:
 * whoever wants one of them pays it. Points of learning curves are no arms here.
 * @param base the name that stages give the model a run starts from
 */
export function armCosts(stages: readonly StageWork[], base: string): ArmCost[] {
  return stages.flatMap((stage, index) => {
    const arm = stage.arms?.at(-1)
    if (arm === undefined) return []
    const needed = new Set<number>()
    let elsewhere: string | null = null
    const add = (at: number) => {
      if (at < 0 || needed.has(at)) return
      needed.add(at)
      const { from = base, teacher, reads = [] } = stages[at]
      const earlier = stages.slice(0, at)
      const start = earlier.findLastIndex(({ name }) => name === from)
      if (start < 0 && from !== base) elsewhere = from
      add(start)
      if (teacher !== undefined) add(earlier.findLastIndex(({ name }) => name === teacher))
      for (const key of reads) add(earlier.findLastIndex(({ makes = [] }) => makes.includes(key)))
    }
    add(index)
    const paid = stages.filter((_, at) => needed.has(at))
    const sum = (of: (one: StageWork) => number | undefined) => paid.reduce((total, one) => total + (of(one) ?? 0), 0)
    return [
      {
        arm,
        stages: paid.map(({ name }) => name),
        seconds: sum((one) => one.seconds),
        sampled: sum((one) => one.tokensSampled),
        trained: sum((one) => one.tokensTrained),
        read: sum((one) => one.tokensRead),
        flops: paid.every(({ flops }) => flops !== undefined) ? sum((one) => one.flops) : null,
        elsewhere,
      },
    ]
  })
}
