/** What the environment (or a user, or a tool) answered: the paper calls it the state `s_t`. */
export type Observation = { from: 'environment' | 'user'; text: string } | { from: 'tool'; results: ToolResult[] }

export interface ToolResult {
  id: string
  name: string
  content: string
  error?: boolean
}

/** The observation as plain text, as it stands in prompts and as the target of a prediction. */
export function observationText(observation: Observation): string {
  if (observation.from === 'tool') return observation.results.map((result) => result.content).join('\n')
  return observation.text
}
