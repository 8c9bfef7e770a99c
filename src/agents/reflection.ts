import { type Action, actionText, type Observation, observationText, type Transition } from '../core/index.ts'
import type { ChatMessage } from '../services/index.ts'

/** An action and what followed it. */
export interface TriedAction {
  action: Action
  next: Observation
}

const SYSTEM = `You write the thoughts of an agent that is about to act. You are shown its task, what has happened so far, the action that it is going to choose, and other actions that it could take, each with what would follow. Write, in the first person and in the present tense, the reasoning that leads from what the agent knows to its choice: what matters in the situation, why the other actions help less, and why this one is right. The agent does not know yet what will follow any action: do not tell it as known. Do not mention that anything was chosen for it. A few sentences are enough.

Answer with <reflection>…</reflection> and nothing else.`

/** Asks a strong model why an expert's action is better than others (self-reflection; method, section 6). */
export function reflectionMessages(expert: Transition, others: readonly TriedAction[]): ChatMessage[] {
  const { instruction, initial, history, action, next } = expert
  const past = history.flatMap((turn) => [
    ...(turn.action ? [`Action: ${actionText(turn.action)}`] : []),
    `Observation: ${observationText(turn.observation)}`,
  ])
  const content = [
    `Task: ${instruction}`,
    `What has happened so far:\n${[`Observation: ${observationText(initial)}`, ...past].join('\n')}`,
    `The action to choose: ${actionText(action)}\nWhat would follow: ${observationText(next)}`,
    ...others.map(
      (other, index) =>
        `Other action ${index + 1}: ${actionText(other.action)}\nWhat would follow: ${observationText(other.next)}`,
    ),
  ].join('\n\n')
  return [
    { role: 'system', content: SYSTEM },
    { role: 'user', content },
  ]
}

const ANSWER = /^<reflection>([^<>]+)<\/reflection>$/

/** The reflection in an answer; null where it is anything else than that, or holds tags that would end the agent's thoughts. */
export function parseReflection(text: string): string | null {
  const reflection = ANSWER.exec(text.trim())?.[1].trim() ?? ''
  return reflection === '' ? null : reflection
}
