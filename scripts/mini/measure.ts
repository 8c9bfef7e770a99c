import { alfworldTranscript } from '../../src/agents/index.ts'
import { hash32, observationText, type Task, transitionsOf } from '../../src/core/index.ts'
import type { Sampler } from '../../src/engines/index.ts'
import type { Environment } from '../../src/environments/index.ts'
import { policyResult, predict } from '../../src/evaluation/index.ts'
import { playWave } from '../../src/rollouts/index.ts'
import type { ChatFormat } from '../../src/tokens/index.ts'

/** What decides whether a base is good enough to start from; all before any reinforcement learning. */
export interface BaseMeasure {
  episodes: number
  success: number
  parseRate: number
  grounding: number | null
  invalidShare: number
  predictionParseRate: number
  predictionExact: number
  groupsWithVariance: number
  byKind: Record<string, { n: number; exact: number; variance: number }>
  successByKind: Record<string, { solved: number; episodes: number }>
}

export interface MeasureOptions {
  environment: Environment
  tasks: Task[]
  format: ChatFormat
  sampler: Sampler
  maxSteps: number
  temperature: number
  /** Transitions asked about, and answers to each (a group). */
  transitions: number
  groupSize: number
  seed: number
  /** Shown the first episodes as text. */
  onEpisode?: (text: string) => void
}

export async function measureBase(options: MeasureOptions): Promise<BaseMeasure> {
  const { environment, tasks, format, sampler, seed } = options
  const agent = alfworldTranscript
  const trajectories = await playWave(
    tasks.map((task) => ({ task, sample: 0 })),
    {
      environment,
      agent,
      format,
      sampler,
      seed,
      temperature: options.temperature,
      maxSteps: options.maxSteps,
      maxTokens: 48,
    },
  )
  for (const { initial, turns } of trajectories.slice(0, options.onEpisode ? 3 : 0)) {
    const lines = turns.map((turn) => `> ${turn.reply}\n${observationText(turn.observation)}`)
    options.onEpisode?.([observationText(initial), ...lines].join('\n'))
  }
  const policy = policyResult('measure', [trajectories], environment, agent)
  const all = trajectories.flatMap(transitionsOf)
  const asked = all
    .map((transition) => ({ transition, key: hash32(seed, transition.id) }))
    .sort((a, b) => a.key - b.key)
    .slice(0, options.transitions)
    .map(({ transition }) => transition)
  const groups = await predict(asked, {
    agent,
    format,
    sampler,
    n: options.groupSize,
    temperature: 1,
    maxTokens: 64,
    seed,
    reasoning: true,
  })
  const byKind: BaseMeasure['byKind'] = {}
  let parsed = 0
  let exact = 0
  let variance = 0
  for (const [i, group] of groups.entries()) {
    const truth = observationText(asked[i].next)
    const right = group.map((one) => (one.nextState === truth ? 1 : 0)).reduce((a: number, b) => a + b, 0)
    parsed += group.filter((one) => one.nextState !== null).length
    exact += right
    const varied = right > 0 && right < group.length
    if (varied) variance++
    const kind = environment.transitionKind?.(asked[i]) ?? 'all'
    byKind[kind] ??= { n: 0, exact: 0, variance: 0 }
    byKind[kind].n++
    byKind[kind].exact += right / group.length
    if (varied) byKind[kind].variance++
  }
  const answers = groups.length * options.groupSize || 1
  return {
    episodes: trajectories.length,
    success: policy.successByRun[0],
    parseRate: policy.parseRate,
    grounding: policy.grounding,
    invalidShare: policy.invalidShare,
    predictionParseRate: parsed / answers,
    predictionExact: exact / answers,
    groupsWithVariance: variance / (groups.length || 1),
    byKind,
    successByKind: policy.byKind,
  }
}
