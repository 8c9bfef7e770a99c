import { join } from 'node:path'
import { readText } from '../files.ts'
import type { Scenario } from '../tasks.ts'

/** Upstream's guidelines for simulated users, from the data folder. */
export interface Guidelines {
  plain: string
  /** For users with tools of their own. */
  withTools: string
}

/**
 * @param data upstream's data folder
 * @throws UserError where one of them is missing
 */
export function readGuidelines(data: string): Guidelines {
  const folder = join(data, 'user_simulator')
  return {
    plain: readText(folder, 'simulation_guidelines.md'),
    withTools: readText(folder, 'simulation_guidelines_tools.md'),
  }
}

/** What a model that plays a user is told: upstream's prompt to the byte (its `UserSimulator.system_prompt`). */
export function userPrompt(guidelines: Guidelines, scenario: Scenario, hasTools: boolean): string {
  return `${hasTools ? guidelines.withTools : guidelines.plain}\n\n<scenario>\n${scenarioText(scenario)}\n</scenario>`
}

function scenarioText({ persona, instructions }: Scenario): string {
  const told = typeof instructions === 'string' ? instructions : instructionsText(instructions)
  return [...(persona === null ? [] : ['Persona:', indented(persona)]), 'Instructions:', indented(told)].join('\n')
}

function instructionsText(told: Exclude<Scenario['instructions'], string>): string {
  const lines = [`Domain: ${told.domain}`, `Reason for call:\n${indented(told.reasonForCall)}`]
  if (told.knownInfo !== null) lines.push(`Known info:\n${indented(told.knownInfo)}`)
  if (told.unknownInfo !== null) lines.push(`Unknown info:\n${indented(told.unknownInfo)}`)
  lines.push(`Task instructions:\n${indented(told.taskInstructions)}`)
  return lines.join('\n')
}

/** A tab before every line that is not blank, as Python's `textwrap.indent` does. */
function indented(text: string): string {
  return text.replace(/^(?=[^\n]*\S)/gm, '\t')
}
