import type { Domain, DomainData, DomainState } from '../domain.ts'
import type { RecordedCall } from '../environment.ts'
import { PyError } from '../python/errors.ts'
import type { RewardType, Tau2Task } from '../tasks.ts'
import { actionsMade } from './actions.ts'
import { communicated } from './communicate.ts'
import { goldWorld, predictedWorld } from './database.ts'
import type { NlJudge, NlVerdict } from './nl.ts'

/** A conversation that ended as it should, as far as its reward needs it. */
export interface JudgedConversation {
  /** Both parties' calls in order, after the task's own history. */
  calls: readonly RecordedCall[]
  /** What the assistant said, text beside tool calls included. */
  assistantTexts: readonly string[]
  /** One `role: text` a message, for the judge. */
  transcript: string
  solo?: boolean
}

export interface EvaluatorOptions {
  /** `off` leaves NL_ASSERTION out of the reward, and says so in `left`. */
  judge: NlJudge | 'off'
}

/** A reward and all that it came from. */
export interface Evaluation {
  /** The product over the basis. */
  reward: number
  parts: Partial<Record<RewardType, number>>
  /** Of the basis, what was not looked at. */
  left: RewardType[]
  databaseMatches: boolean
  assertionsMet: boolean[]
  actionsMade: boolean[]
  communicated: boolean[]
  verdicts: NlVerdict[]
  /** Why the conversation could not be replayed; the reward is 0 then. */
  error: string | null
}

/** Of what has to be met as a whole. */
export const rewardOf = (met: readonly boolean[]): number => (met.every(Boolean) ? 1 : 0)

/** Judges a conversation by its task's criteria, as upstream's evaluators together do. */
export async function evaluate<State extends DomainState>(
  domain: Domain<State>,
  data: DomainData<State>,
  task: Tau2Task,
  conversation: JudgedConversation,
  { judge }: EvaluatorOptions,
): Promise<Evaluation> {
  const evaluation: Evaluation = {
    reward: 1,
    parts: {},
    left: [],
    databaseMatches: true,
    assertionsMet: [],
    actionsMade: [],
    communicated: [],
    verdicts: [],
    error: null,
  }
  const { criteria } = task
  if (!criteria) return evaluation
  try {
    if (criteria.hasReference) judgeWorld(domain, data, task, conversation, evaluation)
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    return { ...evaluation, reward: 0, databaseMatches: false, error: error.message }
  }
  evaluation.actionsMade = actionsMade(criteria.actions, conversation.calls)
  evaluation.communicated = communicated(criteria.communicate, conversation.assistantTexts)
  for (const type of new Set(criteria.basis)) {
    const part = await judgePart(type, evaluation, conversation, criteria.nlAssertions, judge)
    if (part === undefined) evaluation.left.push(type)
    else {
      evaluation.parts[type] = part
      evaluation.reward *= part
    }
  }
  return evaluation
}

function judgeWorld<State extends DomainState>(
  domain: Domain<State>,
  data: DomainData<State>,
  task: Tau2Task,
  { calls, solo }: JudgedConversation,
  evaluation: Evaluation,
): void {
  const predicted = predictedWorld(domain, data, task, calls, solo)
  evaluation.databaseMatches = predicted.sameAs(goldWorld(domain, data, task).world)
  evaluation.assertionsMet = (task.criteria?.assertions ?? []).map((assertion) => predicted.holds(assertion))
}

async function judgePart(
  type: RewardType,
  evaluation: Evaluation,
  conversation: JudgedConversation,
  outcomes: readonly string[],
  judge: NlJudge | 'off',
): Promise<number | undefined> {
  switch (type) {
    case 'DB':
      return evaluation.databaseMatches ? 1 : 0
    case 'ENV_ASSERTION':
      return rewardOf(evaluation.assertionsMet)
    case 'ACTION':
      return rewardOf(evaluation.actionsMade)
    case 'COMMUNICATE':
      return rewardOf(evaluation.communicated)
    case 'NL_ASSERTION': {
      // With nothing to judge it is met, and no judge is asked.
      if (outcomes.length === 0) return 1
      if (judge === 'off') return undefined
      evaluation.verdicts = await judge.judge(conversation.transcript, outcomes)
      return rewardOf(evaluation.verdicts.map(({ met }) => met))
    }
  }
}
