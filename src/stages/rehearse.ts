import { actionText, hash32, observationText, type Trajectory, type Transition } from '../core/index.ts'
import { answerSequence, labelSequence, predict } from '../evaluation/index.ts'
import { sftData } from '../learning/index.ts'
import { playWave, type Slot } from '../rollouts/index.ts'
import type { TokenSequence } from '../tokens/index.ts'
import { asked } from './asked.ts'
import { trainingTasks } from './collect.ts'
import type { StageContext } from './context.ts'
import type { Rehearsal, Shown, UnitCost } from './plan.ts'

/** Episodes played at most: enough at once to be about as fast as a run's own waves. */
const EPISODES = 32
/** Transitions predicted and learned as labels, at most. */
const TRANSITIONS = 16
/** Tokens of a reply that only shows how fast they come. */
const SHORT = 32
/** Where one episode would take longer than this, in seconds, none is played: the settings' limits are taken instead. */
const PATIENCE = 60
/** A pass of training over what was sampled takes as much of it as fits into these seconds. */
const TRAINING_PATIENCE = 10

export type RehearsalContext = Pick<StageContext, 'environment' | 'agent' | 'format' | 'trainer' | 'config'>

/**
 * Do a little of everything that a run will do, with the base model, whose weights stay as they are: a few episodes, a few
 * predictions, a few labels, each passed through training once. Shows what the model is given and what is trained on, and how
 * much of it there is. Where even that would take too long here (a large model), figures are what the settings allow at most.
 */
export async function rehearse(context: RehearsalContext): Promise<Rehearsal> {
  const { environment, config } = context
  const recorded = environment.recorded?.('train')
  const slots = trainingTasks(context).map((task): Slot => ({ task, sample: 0 }))
  const first = recorded ? null : await firstReply(context, slots.slice(0, 1))
  const secondsPerToken = first ? first.seconds / Math.max(1, first.trajectories[0].turns[0].tokens.length) : 0
  const { maxSteps, maxTokens } = config.collect
  const longest = secondsPerToken * maxSteps * maxTokens
  const isPatient = longest < PATIENCE
  // Episodes at once do not take as long as one after the other, but longer than one.
  const affordable = (most: number) => Math.max(1, Math.min(most, Math.floor(PATIENCE / longest)))
  const played =
    first && (isPatient ? await play(context, slots.slice(0, affordable(EPISODES)), maxSteps, maxTokens) : first)
  const trajectories = played?.trajectories ?? recorded!.slice(0, EPISODES)
  const { transitions: all } = asked(context, trajectories)
  const trainable = all.filter((one) => one.valid || config.collect.invalidShare > 0)
  // Where none can be trained on, the others still tell what an answer costs; they are no example of anything.
  const transitions = spread(trainable.length > 0 ? trainable : all, affordable(TRANSITIONS))
  const label = await labels(context, transitions)
  const answers = await predictions(context, transitions, isPatient ? config.worldModel.maxTokens : SHORT)
  const counted = recorded ?? trajectories
  const turns = counted.flatMap((one) => one.turns)
  const rehearsal: Rehearsal = {
    episodes: counted.length,
    recorded: recorded !== undefined,
    turns: turns.length / counted.length,
    valid: turns.filter((turn) => turn.valid).length / Math.max(1, turns.length),
    rewarded: !recorded && trajectories.some(({ reward }) => reward !== undefined),
    episode: await episodeCost(context, trajectories, played?.seconds ?? 0),
    prediction: answers.cost,
    label: { ...label.cost, sampleSeconds: secondsToDraw(label.cost.sampled, answers.cost) },
    shown: {
      episode: shownEpisode(trajectories[0]),
      ...(trainable.length > 0 && { prediction: answers.shown, label: label.shown }),
    },
  }
  return isPatient ? rehearsal : atMost(rehearsal, context, secondsPerToken)
}

/** Predictions without reasoning, as the filter draws them, come as fast as those with. */
function secondsToDraw(tokens: number, { sampled, sampleSeconds }: UnitCost): number {
  return (tokens * sampleSeconds) / Math.max(1, sampled)
}

/** Episodes and answers as long as the settings allow, at the measured speed. */
function atMost(rehearsal: Rehearsal, { config }: RehearsalContext, secondsPerToken: number): Rehearsal {
  const grown = (cost: UnitCost, sampled: number): UnitCost => {
    const trained = cost.trained - cost.sampled + sampled
    const factor = trained / Math.max(1, cost.trained)
    return {
      sampled,
      trained,
      sampleSeconds: sampled * secondsPerToken,
      trainSeconds: cost.trainSeconds * factor,
      referenceSeconds: cost.referenceSeconds * factor,
    }
  }
  const { maxSteps, maxTokens } = config.collect
  return {
    ...rehearsal,
    episodes: 0,
    turns: maxSteps,
    valid: 1,
    episode: grown(rehearsal.episode, maxSteps * maxTokens),
    prediction: grown(rehearsal.prediction, config.worldModel.maxTokens),
  }
}

/** One short reply, to see how fast they come. The first of all also builds what later ones find built. */
async function firstReply(context: RehearsalContext, slots: Slot[]) {
  const maxTokens = Math.min(SHORT, context.config.collect.maxTokens)
  await play(context, slots, 1, maxTokens)
  return play(context, slots, 1, maxTokens)
}

async function play(context: RehearsalContext, slots: Slot[], maxSteps: number, maxTokens: number) {
  const { environment, agent, format, trainer, config } = context
  const { temperature } = config.collect
  const began = performance.now()
  const trajectories = await playWave(slots, {
    environment,
    agent,
    format,
    sampler: trainer.sampler(),
    seed: hash32(config.seed, 'rehearsal'),
    temperature,
    maxSteps,
    maxTokens,
  })
  return { trajectories, seconds: (performance.now() - began) / 1000 }
}

async function episodeCost(context: RehearsalContext, trajectories: Trajectory[], seconds: number): Promise<UnitCost> {
  const cost = await trainingCost(
    context,
    trajectories.flatMap((one) => one.sequences),
    trajectories.length,
  )
  const sampled = trajectories.flatMap((one) => one.turns).reduce((sum, turn) => sum + turn.tokens.length, 0)
  return { ...cost, sampled: sampled / trajectories.length, sampleSeconds: seconds / trajectories.length }
}

async function predictions(context: RehearsalContext, transitions: Transition[], maxTokens: number) {
  const { agent, format, trainer, config } = context
  const { groupSize, temperature, reasoning } = config.worldModel
  const sampler = trainer.sampler()
  await sampler.reset()
  const began = performance.now()
  const groups = await predict(transitions, {
    agent,
    format,
    sampler,
    n: groupSize,
    temperature,
    maxTokens,
    seed: hash32(config.seed, 'rehearsal'),
    reasoning,
  })
  const seconds = (performance.now() - began) / 1000
  const count = Math.max(1, transitions.length * groupSize)
  const sequences = groups.flat().map(answerSequence)
  const cost = await trainingCost(context, sequences, count)
  const sampled = groups.flat().reduce((sum, { tokens }) => sum + tokens.length, 0)
  const shown = transitions.length > 0 ? shownAnswer(transitions[0], sequences[0], groups[0][0].nextState) : undefined
  return { cost: { ...cost, sampled: sampled / count, sampleSeconds: seconds / count }, shown }
}

async function labels(context: RehearsalContext, transitions: Transition[]) {
  const { agent, format, trainer } = context
  const { contextLength } = trainer.sampler()
  const sequences = transitions.map((one) => labelSequence(agent, format, one, contextLength))
  const cost = await trainingCost(context, sequences, Math.max(1, sequences.length))
  const own = sequences.reduce((sum, { mask }) => sum + mask.filter((one) => one === 1).length, 0)
  const caption = 'what really followed, as a label without reasoning'
  const shown = sequences.length > 0 ? { caption, sequence: sequences[0] } : undefined
  return { cost: { ...cost, sampled: own / Math.max(1, sequences.length) }, shown }
}

/** A pass of training over the sequences, or over the first of them that fit, and one of a reference; a share for each of `count`. */
async function trainingCost(
  { trainer }: RehearsalContext,
  sequences: TokenSequence[],
  count: number,
): Promise<UnitCost> {
  const nothing = { sampled: 0, trained: 0, sampleSeconds: 0, trainSeconds: 0, referenceSeconds: 0 }
  const all = sequences.filter(({ mask }) => mask.includes(1))
  if (all.length === 0) return nothing
  const pass = async (some: TokenSequence[]) => {
    const began = performance.now()
    const { tokens } = await trainer.forwardBackward(sftData(some), { kind: 'cross_entropy' })
    return { tokens: tokens.total, seconds: (performance.now() - began) / 1000 }
  }
  // The first pass also builds what later ones find built.
  await pass(all.slice(0, 1))
  const { seconds } = await pass(all.slice(0, 1))
  const some = all.slice(0, Math.max(1, Math.floor(TRAINING_PATIENCE / seconds)))
  if (some.length > 1) await pass(some)
  const train = await pass(some)
  const began = performance.now()
  await trainer.sampler().logprobs(some.map((one) => one.tokens))
  const reference = (performance.now() - began) / 1000
  const share = all.length / some.length / count
  return {
    ...nothing,
    trained: train.tokens * share,
    trainSeconds: train.seconds * share,
    referenceSeconds: reference * share,
  }
}

function shownEpisode({ task, sequences, reward }: Trajectory): Shown | undefined {
  if (sequences.length === 0) return undefined
  const parts = sequences.length > 1 ? `, the first of ${sequences.length} prompts` : ''
  const end = reward === undefined ? '' : `, reward ${reward}`
  return { caption: `task ${task.id}${parts}${end}`, sequence: sequences[0] }
}

function shownAnswer(transition: Transition, sequence: TokenSequence, nextState: string | null): Shown {
  const truth = observationText(transition.next)
  const outcome = nextState === null ? 'does not parse' : nextState === truth ? 'is right' : 'is wrong'
  const caption = `a sampled answer, which ${outcome}: after “${actionText(transition.action)}” there followed “${truth}”`
  return { caption, sequence }
}

/** `count` items at even distances. */
function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items]
  return Array.from({ length: count }, (_, i) => items[Math.floor(((i + 0.5) * items.length) / count)])
}
