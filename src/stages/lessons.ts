import { type Agent, replyFor } from '../agents/index.ts'
import { hash32, type TokenSequence, type Trajectory, type Transition, transitionId } from '../core/index.ts'
import { canBeAsked, labelSequence } from '../evaluation/index.ts'
import { demonstrate } from '../rollouts/index.ts'
import { asked } from './asked.ts'
import { readCollected } from './collected.ts'
import type { StageContext } from './context.ts'
import { type Artifacts, need } from './stage.ts'

/** What is learned from, and what is to be said of it. */
export interface LessonData {
  examples: Pick<TokenSequence, 'tokens' | 'mask'>[]
  notes: string[]
}

type Teach = (context: StageContext, artifacts: Artifacts, stage: string) => Promise<LessonData>

/**
 * What supervision can teach (method, section 6). `own successes`: the model's own solved rollouts of collection, as they were sampled.
 * `expert actions`: what experts did, as the agent's own replies. `next states`: what followed the experts' actions and the model's
 * alternatives, as labels without reasoning. `reflections`: the experts' actions with the reason for them as the thoughts.
 */
export const LESSONS = {
  'own successes': ownSuccesses,
  'expert actions': expertActions,
  'next states': nextStates,
  reflections,
} as const satisfies Record<string, Teach>

export type Lesson = keyof typeof LESSONS

async function ownSuccesses({ run }: StageContext, artifacts: Artifacts, stage: string): Promise<LessonData> {
  need(artifacts.collected, stage, 'collect')
  const { trajectories } = readCollected(run)
  const solved = trajectories.filter(({ reward = 0, failed }) => reward > 0 && failed === undefined)
  // What others played for it is not its own, and holds no tokens of it.
  const own = solved.filter(({ sequences }) => sequences.length > 0)
  const attempts = new Map<string, number>()
  for (const { task } of own) attempts.set(task.id, (attempts.get(task.id) ?? 0) + 1)
  const often = [...attempts.values()].filter((count) => count > 1).length
  return {
    examples: own.flatMap(({ sequences }) => sequences),
    notes: [
      `own successes: ${own.length} of ${trajectories.length} rollouts, of ${attempts.size} tasks, ${often} of them solved more than once`,
    ],
  }
}

async function expertActions(context: StageContext, artifacts: Artifacts, stage: string): Promise<LessonData> {
  const examples: LessonData['examples'] = []
  const counts = { actions: 0, lost: 0, shortened: 0, outgrown: 0 }
  for await (const { shown } of demonstrations(context, need(artifacts.expert, stage, 'expert'))) {
    if (shown === null) {
      counts.lost++
      continue
    }
    examples.push(...shown.sequences)
    counts.actions += shown.states.length
    counts.shortened += shown.shortened
    counts.outgrown += shown.outgrown
  }
  return {
    examples,
    notes: [
      `expert actions: ${counts.actions} in ${examples.length} examples`,
      ...said(counts.lost, 'trajectories left out: the environment does not answer as they say'),
      ...said(counts.shortened, 'prompts went without their oldest turns, too long for the context'),
      ...said(counts.outgrown, 'actions left out: too long for the context even without history'),
    ],
  }
}

async function nextStates(context: StageContext, artifacts: Artifacts, stage: string): Promise<LessonData> {
  const { agent, format, trainer, config } = context
  const tried = need(artifacts.alternatives, stage, 'alternatives')
  const { contextLength } = trainer.sampler()
  const { transitions, tooLong } = asked(context, need(artifacts.expert, stage, 'expert'))
  const trains = ({ id, valid }: Transition) =>
    valid || hash32(config.seed, 'invalid', id) / 2 ** 32 < config.collect.invalidShare
  const alternatives = transitions.flatMap((one) =>
    (tried.get(one.id)?.tried ?? []).map(
      ({ action, next, valid }, index): Transition => ({
        ...one,
        id: `${one.id}/${index}`,
        action,
        next: agent.target?.(next) ?? next,
        valid,
      }),
    ),
  )
  const fitting = alternatives.filter((one) =>
    canBeAsked(agent, format, one, { contextLength, maxTokens: config.worldModel.maxTokens }),
  )
  const [own, other] = [transitions.filter(trains), fitting.filter(trains)]
  return {
    examples: [...own, ...other].map((one) => labelSequence(agent, format, one, contextLength)),
    notes: [
      `next states: ${own.length} after the expert's actions, ${other.length} after the model's own alternatives`,
      ...said(
        tooLong + alternatives.length - fitting.length,
        'steps left out: too long for the context even without history',
      ),
    ],
  }
}

async function reflections(context: StageContext, artifacts: Artifacts, stage: string): Promise<LessonData> {
  const { agent, format, config } = context
  const why = need(artifacts.reflections, stage, 'reflect')
  const examples: LessonData['examples'] = []
  const counts = { unwritten: 0, tooLong: 0 }
  for await (const { trajectory, shown } of demonstrations(context, need(artifacts.expert, stage, 'expert'))) {
    for (const { turn, prompt } of shown?.states ?? []) {
      const reflection = why.get(transitionId(trajectory, turn))
      if (reflection === undefined) continue
      const reply = withThoughts(agent, trajectory, turn, reflection)
      const tokens = reply === null ? null : format.replyTokens(reply)
      if (tokens === null) counts.unwritten++
      // In play it would be cut before it comes to its action.
      else if (tokens.length > config.collect.maxTokens) counts.tooLong++
      else {
        const mask = [...prompt.map(() => 0), ...tokens.map(() => 1)]
        examples.push({ tokens: [...prompt, ...tokens], mask })
      }
    }
  }
  return {
    examples,
    notes: [
      `reflections: ${examples.length}`,
      ...said(counts.tooLong, `left out: longer than the ${config.collect.maxTokens} tokens of a reply`),
      ...said(counts.unwritten, 'left out: the agent’s format cannot carry them'),
    ],
  }
}

/** The expert's action with the reflection as its thoughts; null where that is not what is read from it. */
function withThoughts(agent: Agent, { turns }: Trajectory, turn: number, reflection: string): string | null {
  const action = turns[turn].action!
  const label = agent.actionLabel?.(action, reflection)
  if (label === undefined || agent.parseAction(label).thinking !== reflection) return null
  return replyFor(agent, action, label) === label ? label : null
}

/** One after the other: prompts of all states at once may be more than memory holds. */
async function* demonstrations(context: StageContext, expert: readonly Trajectory[]) {
  const { environment, agent, format, trainer, config, signal } = context
  const { contextLength } = trainer.sampler()
  const { maxTokens } = config.collect
  for (const trajectory of expert) {
    signal.throwIfAborted()
    const shown = await demonstrate(trajectory, { environment, agent, format, contextLength, maxTokens, signal })
    yield { trajectory, shown }
  }
}

const said = (count: number, what: string): string[] => (count > 0 ? [`${count} ${what}`] : [])
