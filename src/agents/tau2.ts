import { observationText } from '../core/index.ts'
import { TAU2_GREETING } from '../environments/index.ts'
import type { Message } from '../tokens/index.ts'
import type { Agent, View } from './agent.ts'
import { parsePrediction, spacedLabel } from './answers.ts'
import { maskedObservation, type ToolShapes } from './masked-results.ts'
import { tau2SoloPrompt, tau2SystemPrompt } from './tau2-instructions.ts'
import type { ToolForm } from './tool-calls.ts'
import { formName, question, toolPlay } from './tools.ts'

export interface Tau2AgentOptions {
  /** H: how many past turns a question shows. Default 4. */
  historyTurns?: number
  /** Ask for the JSON-Schema shape of what tools return, not for its values (method, section 2). Default true. */
  mask?: boolean
  /** What tools declare to return, where they do; what is not declared has the shape of its value. */
  shapes?: ToolShapes
  /** As in `ToolsOptions`; `tau2SmallAgent` has one form. */
  toolCalls?: ToolForm
}

/**
 * τ²-bench for instruction-tuned models: upstream's prompt, tools and calls as text or as the model's template has them. A question
 * about what follows shows the called tools and the last turns, what the user has told, and never the policy: it has thousands
 * of words and says little of what a tool returns.
 */
export function tau2Agent({ historyTurns = 4, mask = true, shapes, toolCalls = 'text' }: Tau2AgentOptions = {}): Agent {
  return {
    name: `tau2, ${historyTurns} turns${mask ? ', masked' : ''}${formName(toolCalls)}`,
    showsActions: false,
    target: mask ? (next) => maskedObservation(next, shapes) : undefined,
    ...toolPlay(toolCalls, (view) => {
      const { initial, instruction } = view
      const prompt = isSolo(view)
        ? tau2SoloPrompt(instruction, observationText(initial))
        : `${tau2SystemPrompt(instruction)}\n\nYou have opened the conversation with: ${TAU2_GREETING}`
      return { ...view, instruction: prompt }
    }),
    predictMessages(transition, { reasoning, omitted = 0 }): Message[] {
      const content = question({ ...transition, instruction: '' }, { historyTurns, mask, reasoning, omitted })
      return [{ role: 'user', content }]
    },
    parsePrediction,
    predictionLabel: ({ next }, thinking) => spacedLabel(observationText(next), thinking),
  }
}

/** An agent alone has a ticket where others have a user. */
export const isSolo = ({ initial }: View): boolean => initial.from === 'environment'
