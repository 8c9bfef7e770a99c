import { existsSync } from 'node:fs'
import { hash32, Random, type Task, type Trajectory, type Transition, UserError } from '../core/index.ts'
import { playWave, type Slot } from '../rollouts/index.ts'
import { writeFileAtomic } from '../store/index.ts'
import { asked } from './asked.ts'
import type { Config } from './config.ts'
import type { StageContext } from './context.ts'
import { type Expected, type Rehearsal, type StagePlan, times } from './plan.ts'
import type { Artifacts, Outcome, Stage } from './stage.ts'
import { checkStillSame, storedWave } from './waves.ts'

export interface Collected {
  /** Train the filter model. */
  filter: Transition[]
  /** Train the world model. */
  train: Transition[]
  /**
   * `rewarded`: played episodes that the environment gave a task reward; rewards of logs are counted in `solved` alone, nothing
   * can be played for them. `shortened`: prompts that did not fit the context whole. `tooLong`: transitions left out
   * because their current observation and action alone do not fit it.
   */
  counts: {
    episodes: number
    transitions: number
    valid: number
    rewarded: number
    solved: number
    shortened: number
    tooLong: number
  }
}

export const collectStage: Stage = {
  name: 'collect',
  title: 'Collect its own play',
  options: {},
  async run(context, artifacts) {
    const collected = await collect(context)
    return handOn(collected, artifacts)
  },
  plan: planCollect,
}

/** How many episodes and transitions to expect, whoever plays. */
export function planCollect(
  { collect }: Config,
  { episode, turns, valid, ...rehearsed }: Rehearsal,
  expected: Expected,
): StagePlan {
  const tasks = Math.min(expected.tasks, collect.tasks)
  const episodes = rehearsed.recorded ? rehearsed.episodes : tasks * collect.rollouts
  const usable = Math.round(episodes * turns * (valid + (1 - valid) * collect.invalidShare))
  expected.filter = Math.round(usable * collect.filterShare)
  const train = usable - expected.filter
  expected.train = collect.maxTransitions > 0 ? Math.min(train, collect.maxTransitions) : train
  const source = rehearsed.recorded ? `${episodes} recorded` : `${tasks} tasks × ${collect.rollouts}`
  const work = `${source} → ${expected.train} + ${expected.filter} transitions`
  return { ...times(episode, episodes), work, episodes, steps: 0, shows: 'episode' }
}

/** What a stage that collects leaves to the next ones, and says of it. */
export function handOn(collected: Collected, artifacts: Artifacts): Outcome {
  artifacts.collected = collected
  artifacts.rewarded = collected.counts.rewarded > 0
  artifacts.kept = collected.train
  const { episodes, transitions, valid, rewarded, solved, shortened, tooLong } = collected.counts
  const { train, filter } = collected
  return {
    notes: [
      `${episodes} episodes, ${rewarded + solved > 0 ? `${solved} solved` : 'without task reward'}; ${transitions} transitions, ${valid} of them valid`,
      `${train.length} for training, ${filter.length} for the filter model`,
      ...(shortened > 0 ? [`${shortened} prompts went without their oldest turns, too long for the context`] : []),
      ...(tooLong > 0 ? [`${tooLong} transitions left out: too long for the context even without history`] : []),
    ],
  }
}

/** The training tasks of a run: a seeded sample where there are more than `collect.tasks`; of what is recorded already, all. */
export function trainingTasks({ environment, config }: Pick<StageContext, 'environment' | 'config'>): Task[] {
  const order = new Random('tasks', config.seed).shuffle(environment.tasks('train'))
  return environment.recorded ? order : order.slice(0, config.collect.tasks)
}

/**
 * Stage 1: the model plays every training task N times; each step becomes a triplet (method, section 2).
 * @param play others, in its place
 */
export async function collect(
  context: StageContext,
  play: (tasks: Task[]) => Promise<Trajectory[]> = (tasks) => playTasks(context, tasks),
): Promise<Collected> {
  const tasks = trainingTasks(context)
  const recorded = context.environment.recorded?.('train')
  const trajectories = recorded
    ? await storedWave(context.run.rolloutsFile('collect-0000'), recorded.length, () => Promise.resolve(recorded))
    : await play(tasks)
  const { transitions, tooLong } = asked(context, trajectories)
  const counts = {
    episodes: trajectories.length,
    transitions: transitions.length,
    valid: transitions.filter((one) => one.valid).length,
    rewarded: recorded ? 0 : trajectories.filter((one) => one.reward !== undefined).length,
    solved: trajectories.filter((one) => (one.reward ?? 0) > 0).length,
    shortened: trajectories.reduce((sum, one) => sum + (one.shortened ?? 0), 0),
    tooLong,
  }
  return { ...split(transitions, tasks, context), counts }
}

async function playTasks(context: StageContext, tasks: Task[]): Promise<Trajectory[]> {
  const { config, environment, agent, format, trainer, progress } = context
  const { rollouts, temperature, maxSteps, maxTokens, wave } = config.collect
  await trainer.loadWeights(context.baseModel)
  const slots: Slot[] = tasks.flatMap((task) => Array.from({ length: rollouts }, (_, sample) => ({ task, sample })))
  const waves = Math.ceil(slots.length / wave)
  progress.start('play', slots.length)
  const trajectories: Trajectory[] = []
  for (let i = 0; i < waves; i++) {
    context.signal.throwIfAborted()
    const path = context.run.rolloutsFile(`collect-${String(i).padStart(4, '0')}`)
    const some = slots.slice(i * wave, (i + 1) * wave)
    const wasPlayed = existsSync(path)
    const played = await storedWave(path, some.length, () =>
      playWave(some, {
        environment,
        agent,
        format,
        sampler: trainer.sampler(),
        seed: hash32(config.seed, 'collect', i),
        temperature,
        maxSteps,
        maxTokens,
        signal: context.signal,
        onStep: ({ finished }) => progress.update(i * wave + finished),
      }),
    )
    if (i === 0 && wasPlayed) await checkStillSame(context, played, maxSteps)
    trajectories.push(...played)
  }
  progress.finish(`${trajectories.length} episodes`)
  return trajectories
}

/** Filter share and training share, by task, so that no household straddles the two; the choice is written down. */
function split(
  transitions: Transition[],
  tasks: Task[],
  context: StageContext,
): { filter: Transition[]; train: Transition[] } {
  const { seed } = context.config
  const { invalidShare, maxTransitions } = context.config.collect
  const isForFilter = filterSplit(tasks, context.config)
  const usable = transitions.filter((one) => one.valid || hash32(seed, 'invalid', one.id) / 2 ** 32 < invalidShare)
  if (usable.length === 0) {
    const valid = transitions.filter((one) => one.valid).length
    throw new UserError(
      `of ${transitions.length} steps ${valid} were valid, and collect.invalidShare = ${invalidShare} keeps none of the others: there is nothing to learn from; see what the model wrote in ${context.run.rolloutsFile('collect-0000')}`,
    )
  }
  const filter = usable.filter(isForFilter)
  let train = usable.filter((one) => !isForFilter(one))
  if (maxTransitions > 0 && train.length > maxTransitions) {
    const chosen = new Set(new Random('sample', seed).shuffle(train).slice(0, maxTransitions))
    train = train.filter((one) => chosen.has(one))
  }
  const use = new Map<Transition, string>([
    ...filter.map((one): [Transition, string] => [one, 'filter']),
    ...train.map((one): [Transition, string] => [one, 'train']),
  ])
  const lines = transitions.map((one) => transitionLine(one, use.get(one) ?? 'none'))
  writeFileAtomic(context.run.transitionsFile, lines.join(''))
  return { filter, train }
}

/**
 * Which transitions train the filter model: those of a share of the tasks, of at least one and never of all. Of a single task
 * nothing can be set apart by task; its transitions are shared out themselves.
 */
function filterSplit(tasks: Task[], { seed, collect }: Config): (one: Transition) => boolean {
  const { filterShare } = collect
  if (filterShare === 0) return () => false
  if (tasks.length === 1) return (one) => hash32(seed, 'split', one.id) / 2 ** 32 < filterShare
  const count = Math.min(tasks.length - 1, Math.max(1, Math.round(tasks.length * filterShare)))
  const ids = new Random('split', seed).shuffle(tasks).slice(0, count)
  const forFilter = new Set(ids.map((task) => task.id))
  return (one) => forFilter.has(one.taskId)
}

/**
 * A line of `transitions.jsonl`: which step, what it did, what followed, and what it is used for. The histories stand in
 * the rollouts.
 */
export function transitionLine({ id, taskId, history, action, next, valid }: Transition, use: string): string {
  return `${JSON.stringify({ id, taskId, step: history.length, action, next, valid, use })}\n`
}
