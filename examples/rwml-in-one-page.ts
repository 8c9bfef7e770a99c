/**
 * Reinforcement World Model Learning on one page, from the same functions as the full trainer:
 *
 *     npx tsx examples/rwml-in-one-page.ts
 *
 * A small model plays households by itself, learns by reinforcement to predict what its actions lead to, then learns by
 * reinforcement to solve tasks. Left out, and found in `src/stages/`: the difficulty filter, the calibrated embedding
 * reward, a KL term, checkpoints and resuming, evaluation with intervals, the report.
 */
import {
  alfworldTranscript as agent,
  alfworldEnvironment,
  answerSequence,
  exactReward,
  hash32,
  loadChatFormat,
  modelFolder,
  openLocalEngine,
  type PolicyUpdateOptions,
  playWave,
  policyUpdate,
  predictAndScore,
  Random,
  type Task,
  transitionsOf,
} from '../src/index.ts'

export interface PageOptions {
  seed: number
  /** Households to play in, and steps of each RL stage. */
  tasks: number
  worldModelSteps: number
  policySteps: number
  log(line: string): void
}

const update: PolicyUpdateOptions = {
  advantages: { scale: 'std', epsilon: 1e-6, level: 'trajectory' },
  aggregation: { kind: 'tokenMean' },
  clipLow: 0.2,
  clipHigh: 0.2,
  kl: { coefficient: 0, estimator: 'k3' },
  entropy: 0,
  temperature: 1,
  adam: { learningRate: 2e-4, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 },
}

export async function onePage({ seed, tasks: count, worldModelSteps, policySteps, log }: PageOptions): Promise<void> {
  const environment = alfworldEnvironment({ generate: { size: 'small', counts: { train: count } } })
  const model = modelFolder('models/mini')
  const format = loadChatFormat(model)
  const engine = await openLocalEngine(model, { threads: 2 })
  const trainer = engine.trainer()
  const sampler = trainer.sampler()
  const tasks = environment.tasks('train')

  /** Play each task `n` times at temperature 1 with the weights as they are now. */
  const play = (some: Task[], n: number, wave: number) =>
    playWave(
      some.flatMap((task) => Array.from({ length: n }, (_, sample) => ({ task, sample }))),
      { environment, agent, format, sampler, seed: hash32(seed, wave), temperature: 1, maxSteps: 12, maxTokens: 40 },
    )

  // 1. Collect: the model's own play. Every step is a transition: what was seen, what was done, what followed.
  const transitions = (await play(tasks, 3, 0)).flatMap(transitionsOf)
  log(`collected ${transitions.length} transitions`)

  // 2. World-model RL: predict what follows; rewarded where the prediction is what happened.
  const reward = exactReward()
  for (let step = 0; step < worldModelSteps; step++) {
    const batch = new Random(seed, 'batch', step).shuffle(transitions).slice(0, 32)
    await sampler.reset()
    const answers = await predictAndScore(
      batch,
      {
        agent,
        format,
        sampler,
        n: 8,
        temperature: 1,
        maxTokens: 64,
        seed: hash32(seed, 'predict', step),
        reasoning: true,
      },
      reward,
    )
    const groups = answers.map((group) =>
      group.map((answer) => ({ reward: answer.reward, sequences: [answerSequence(answer)] })),
    )
    const { reward: mean, groupVariance } = await policyUpdate(trainer, null, groups, update)
    log(
      `world model ${step + 1}/${worldModelSteps}: right ${percent(mean)}, groups that vary ${percent(groupVariance)}`,
    )
  }

  // 3. Policy RL: play groups of the same task; rewarded where the task is solved.
  for (let step = 0; step < policySteps; step++) {
    const some = new Random(seed, 'tasks', step).shuffle(tasks).slice(0, 16)
    const episodes = await play(some, 8, step + 1)
    const groups = some.map((_, i) =>
      episodes.slice(8 * i, 8 * i + 8).map(({ sequences, reward: solved }) => ({ sequences, reward: solved ?? 0 })),
    )
    const { reward: mean } = await policyUpdate(trainer, null, groups, update)
    log(`policy ${step + 1}/${policySteps}: solved ${percent(mean)}`)
  }
  await engine.close()
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

if (import.meta.filename === process.argv[1]) {
  await onePage({ seed: 0, tasks: 160, worldModelSteps: 20, policySteps: 20, log: console.log })
}
