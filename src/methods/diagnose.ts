import { availableParallelism } from 'node:os'
import type { Agent } from '../agents/index.ts'
import { hash32, Random, type Transition } from '../core/index.ts'
import { openLocalEngine } from '../engines/index.ts'
import { answerKind, type Environment, transitionKind, variants } from '../environments/index.ts'
import {
  canBeAsked,
  crossFittedBaselines,
  type Diagnosis,
  duplicates,
  type GroupVariance,
  groundFor,
  groupVariance,
  predictAndScore,
  probeHacking,
  type RewardTest,
  type ScoredGroup,
  testReward,
  visibility,
} from '../evaluation/index.ts'
import { exactReward, statePairs, type WorldModelReward } from '../rewards/index.ts'
import {
  type Config,
  chooseReward,
  everyReward,
  type FilterLine,
  type RewardOptions,
  readCollected,
  readFiltered,
  type StageProgress,
  stageRecord,
} from '../stages/index.ts'
import { RunFolder } from '../store/index.ts'
import type { ChatFormat } from '../tokens/index.ts'
import { stageCosts } from './diagnose-cost.ts'
import { formatOf, modelFolder } from './parts.ts'
import { ALFWORLD, configOf, knownAgent } from './stored-run.ts'

export interface DiagnoseOptions extends RewardOptions {
  /** The run folder. */
  run: string
  /** Transitions to draw groups of predictions for; when absent, some where the filter has not run, else none. */
  predictions?: number
  /** Threads of the engine that draws them; default: all cores. */
  threads?: number
  /** What knows the run's texts, where it was played in an environment given in code. ALFWorld's are known here. */
  environment?: KnownEnvironment
  agent?: Agent
  progress: StageProgress
  /** Notices, and what is about to cost time. */
  say(message: string): void
}

/** What is asked of an environment here: never to play. */
type KnownEnvironment = Pick<Environment, 'transitionKind' | 'variants'>

/** Groups drawn where nothing else tells whether rewards differ: a share of them is known to about 6 points. */
const GROUPS = 64
/** Prompts sampled at once: bounds memory. */
const CHUNK = 32

/** Is a collected run worth world-model RL? Reads the run folder and writes nothing. */
export async function diagnose(options: DiagnoseOptions): Promise<Diagnosis> {
  const { progress, say } = options
  const run = RunFolder.open(options.run)
  const config = configOf(run)
  const filtered = readFiltered(run)
  const environment = options.environment ?? knownEnvironment(config, filtered)
  const collected = readCollected(run)
  const { train } = collected
  const agent = options.agent ?? knownAgent(config, train)
  const kindOf = (one: Transition) => environment.transitionKind?.(one) ?? 'all'
  const seen = visibility(train, kindOf)
  const repeats = duplicates(train)
  // Of one text alone nothing can be calibrated: it is right or wrong.
  const given: RewardOptions = { judge: options.judge, embedder: options.embedder }
  const rewarding = { run, config: rewardAtHand(config, options), environment, progress, warn: say }
  const { reward, record } =
    repeats.nextStates > 1
      ? await chooseReward(rewarding, train, given, false)
      : { reward: exactReward(), record: null }
  const hacking = await probeHacking(await everyReward(rewarding, train, given), train, config.seed)
  const baselines = await crossFittedBaselines(train, environment, reward)
  let test: RewardTest | null = null
  if (repeats.nextStates > 1) {
    // Other pairs than the threshold was chosen on.
    const pairs = statePairs(environment, train, hash32('diagnose', config.seed))
    test = await testReward(reward, hasThreshold(config) ? (record?.threshold ?? null) : null, pairs)
  }
  const model = modelFolder(config.model.path)
  const asked = { config, agent, format: formatOf(config, model) }
  const wanted = options.predictions ?? (filtered ? 0 : GROUPS)
  const drawn = wanted > 0 ? await draw(options, { ...asked, run, model, train, reward, kindOf }, wanted) : null
  const variance = drawn?.variance ?? (filtered && groupVariance('filter model', config.filter.draws, filtered))
  return {
    run: options.run,
    transitions: train.length,
    tasks: new Set(train.map((one) => one.taskId)).size,
    verdict: groundFor({ visibility: seen.all, baselines, reward: test, variance }),
    visibility: seen,
    baselines,
    duplicates: repeats,
    reward: test,
    hacking,
    variance,
    cost: stageCosts({ ...asked, run, collected, filtered, drawn }),
  }
}

/** A judge is given in code, and may not be here: the pairs and baselines are then held against embeddings. */
function rewardAtHand(config: Config, { judge, say }: DiagnoseOptions): Config {
  if (config.reward.kind !== 'judge' || judge) return config
  say('The run’s judge is not at hand here (diagnose({ judge }) in code takes one): embeddings stand in for it.')
  return { ...config, reward: { ...config.reward, kind: 'embedding' } }
}

/** One threshold decides over every prediction. */
const hasThreshold = ({ reward }: Config): boolean => reward.kind === 'embedding' && reward.mode === 'binary'

/** ALFWorld's texts need no games to be known; of other environments the filter has written down the kinds. */
function knownEnvironment(config: Config, filtered: FilterLine[] | null): KnownEnvironment {
  if (config.environment.name === ALFWORLD) return { transitionKind, variants }
  const kinds = new Map(filtered?.map(({ id, kind }) => [id, kind]))
  return { transitionKind: ({ id, next }) => kinds.get(id) ?? (next.from === 'environment' ? 'all' : answerKind(next)) }
}

interface Drawn {
  variance: GroupVariance
  /** Mean tokens of an answer, and tokens sampled a second. */
  answerTokens: number
  rate: number
}

interface Asked {
  config: Config
  agent: Agent
  format: ChatFormat
}

interface DrawFrom extends Asked {
  run: RunFolder
  model: string
  train: Transition[]
  reward: WorldModelReward
  kindOf(one: Transition): string
}

/**
 * Groups of the base model's predictions, as world-model RL would draw them; says beforehand what that costs. Of transitions
 * that it can be asked about: null where there are none.
 */
async function draw(options: DiagnoseOptions, from: DrawFrom, wanted: number): Promise<Drawn | null> {
  const { config, agent, format, train, reward, kindOf } = from
  const { groupSize, temperature, maxTokens, reasoning } = config.worldModel
  const engine = await openLocalEngine(from.model, { threads: options.threads ?? availableParallelism() })
  try {
    const sampler = engine.trainer().sampler()
    const { contextLength } = sampler
    const some = firstOf(new Random('diagnose', config.seed).shuffle(train), wanted, (one) =>
      canBeAsked(agent, format, one, { contextLength, maxTokens }),
    )
    if (some.length === 0) {
      options.say(
        `No predictions are drawn: no transition fits the ${contextLength} tokens of the model's context beside an answer of ${maxTokens} (worldModel.maxTokens); use a model with a longer context.`,
      )
      return null
    }
    options.say(costOf(from, some.length))
    const groups: ScoredGroup[] = []
    let tokens = 0
    const began = performance.now()
    options.progress.start('predict', some.length)
    for (let at = 0; at < some.length; at += CHUNK) {
      const chunk = some.slice(at, at + CHUNK)
      await sampler.reset()
      const scored = await predictAndScore(
        chunk,
        {
          agent,
          format,
          sampler,
          n: groupSize,
          temperature,
          maxTokens,
          seed: hash32('diagnose', config.seed),
          reasoning,
        },
        reward,
      )
      for (const [i, group] of scored.entries()) {
        const rewards = group.map((answer) => answer.reward)
        tokens += group.reduce((sum, answer) => sum + answer.tokens.length, 0)
        groups.push({
          kind: kindOf(chunk[i]),
          varied: rewards.some((value) => value !== rewards[0]),
          meanReward: rewards.reduce((sum, value) => sum + value, 0) / groupSize,
          parsed: group.filter(({ nextState }) => nextState !== null).length / groupSize,
        })
      }
      options.progress.update(groups.length)
    }
    options.progress.finish()
    return {
      variance: groupVariance('base model', groupSize, groups),
      answerTokens: tokens / (some.length * groupSize),
      rate: (tokens * 1000) / (performance.now() - began),
    }
  } finally {
    await engine.close()
  }
}

/** What drawing groups for so many transitions takes at most. */
function costOf({ config, run }: DrawFrom, count: number): string {
  const { groupSize, maxTokens } = config.worldModel
  const most = count * groupSize * maxTokens
  const collect = stageRecord(run, 'collect')
  const speed = collect && collect.seconds > 0 ? collect.tokensSampled / collect.seconds : null
  const time = speed
    ? `; at collection's ${Math.round(speed)} tokens a second at most ${Math.ceil(most / speed)} s`
    : '; how long that takes here was not measured'
  return `Drawing ${count} × ${groupSize} predictions of the base model: at most ${most} tokens${time}. --predictions sets how many, 0 for none.`
}

/** The first `count` items that fit; no more are looked at than it takes. */
function firstOf<T>(items: readonly T[], count: number, fits: (item: T) => boolean): T[] {
  const found: T[] = []
  for (const item of items) {
    if (found.length === count) break
    if (fits(item)) found.push(item)
  }
  return found
}
