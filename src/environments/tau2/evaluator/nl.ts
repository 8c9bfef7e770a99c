/** A judge's word on one expected outcome. */
export interface NlVerdict {
  outcome: string
  met: boolean
  reason: string
}

/** Decides whether a conversation shows what it should; usually a model. */
export interface NlJudge {
  /** @param conversation one `role: text` a message */
  judge(conversation: string, outcomes: readonly string[]): Promise<NlVerdict[]>
}
