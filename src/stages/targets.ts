import { observationText, type Transition, UserError } from '../core/index.ts'
import { canBeAsked } from '../evaluation/index.ts'
import { type Score, textReward, type WorldModelReward } from '../rewards/index.ts'
import type { StageContext } from './context.ts'

/**
 * What a world model learns to tell about a transition in place of its next state. Data and functions: one of one's own is an
 * object like those below. The answer stands where a next state would, inside `<next_state>`.
 */
export interface Target {
  /** In run folders and notes. */
  name: string
  /** What is asked, with the true answer; null where the question does not arise. What is asked must not tell the answer. */
  ask(transition: Transition): { question: string; answer: string } | null
  /** Scores an answer against the true one. */
  reward: WorldModelReward
}

const yesOrNo = textReward('yes or no', (predicted, actual) => {
  const said = predicted.trim().toLowerCase().replace(/\.$/, '')
  return said === actual ? RIGHT : WRONG
})

const RIGHT: Score = { reward: 1, distance: 0 }
const WRONG: Score = { reward: 0, distance: 1 }

/** 1 for the very number, and less by the share that it is off. */
const number = textReward('number', (predicted, actual) => {
  const said = /^\d{1,6}$/.test(predicted.trim()) ? Number(predicted) : null
  if (said === null) return WRONG
  const distance = Math.abs(said - Number(actual)) / Math.max(said, Number(actual), 1)
  return { reward: 1 - distance, distance }
})

/** Will the task be solved from here? Of episodes with a task reward. */
export const solvedFromHere: Target = {
  name: 'solved from here',
  ask({ rest }) {
    if (rest?.reward === undefined) return null
    const question =
      'Your task is to tell whether the task will be solved in this attempt, going on with the potential action. Answer yes or no.'
    return { question, answer: rest.reward > 0 ? 'yes' : 'no' }
  },
  reward: yesOrNo,
}

/** Is the action admissible? Needs invalid actions among the transitions (`collect.invalidShare`). */
export const actionValidity: Target = {
  name: 'action validity',
  ask: ({ valid }) => ({
    question:
      'Your task is to tell whether the potential action is possible in the current situation. Answer yes or no.',
    answer: valid ? 'yes' : 'no',
  }),
  reward: yesOrNo,
}

/** How many more steps until the task is solved? Of solved episodes: of others only the step limit could be told. */
export const remainingSteps: Target = {
  name: 'remaining steps',
  ask({ rest }) {
    if (!rest?.done || !(Number(rest.reward) > 0)) return null
    const question =
      'Your task is to tell how many more steps it takes until the task is solved, after the potential action. Answer with a whole number.'
    return { question, answer: String(rest.steps) }
  },
  reward: number,
}

/**
 * Transitions as a target asks about them: `question` is set, and `next` is the true answer.
 * @throws UserError where nothing can be learned from them, or the agent does not ask the question
 */
export function targeted(
  { agent, format, trainer, config }: Pick<StageContext, 'agent' | 'format' | 'trainer' | 'config'>,
  target: Target,
  transitions: readonly Transition[],
): Transition[] {
  const room = { contextLength: trainer.sampler().contextLength, maxTokens: config.worldModel.maxTokens }
  const asked = transitions.flatMap((one): Transition[] => {
    const found = target.ask(one)
    if (!found) return []
    const { question, answer } = found
    const about: Transition = { ...one, question, next: { from: 'environment', text: answer } }
    return canBeAsked(agent, format, about, room) ? [about] : []
  })
  const answers = new Set(asked.map(({ next }) => observationText(next)))
  if (answers.size < 2) {
    const all = asked.length === 0 ? 'it arises of no transition' : `the answer is always "${[...answers][0]}"`
    throw new UserError(
      `the target "${target.name}" teaches nothing here: of ${transitions.length} transitions ${all}; collect more, keep invalid actions (collect.invalidShare), or take another target`,
    )
  }
  const messages = agent.predictMessages(asked[0], { reasoning: config.worldModel.reasoning })
  if (!messages.some(({ content }) => content.includes(asked[0].question!))) {
    throw new UserError(
      `the agent ${agent.name} does not ask the question of the target "${target.name}": have its predictMessages ask transition.question where there is one`,
    )
  }
  return asked
}
