/**
 * The tools that several domains have to the letter. Descriptions are upstream's, for they are part of the prompts
 * (sierra-research/tau2-bench, MIT licence, Copyright Sierra Research).
 */
import { calculate } from './calculator.ts'
import { field, str } from './model.ts'
import { type Tool, tool } from './tool.ts'

export const CALCULATE: Tool<unknown> = tool({
  name: 'calculate',
  kind: 'generic',
  description: 'Calculate the result of a mathematical expression.',
  parameters: {
    expression: field(
      str,
      "The mathematical expression to calculate, such as '2 + 2'. The expression can contain numbers, " +
        'operators (+, -, *, /), parentheses, and spaces.',
    ),
  },
  returns: field(str, 'The result of the mathematical expression.'),
  call: (_state, expression) => calculate(expression),
})

export const TRANSFER_TO_HUMAN_AGENTS: Tool<unknown> = tool({
  name: 'transfer_to_human_agents',
  kind: 'generic',
  description:
    "Transfer the user to a human agent, with a summary of the user's issue.\n\n" +
    'Only transfer if\n -  the user explicitly asks for a human agent\n' +
    " -  given the policy and the available tools, you cannot solve the user's issue.",
  parameters: { summary: field(str, "A summary of the user's issue.") },
  returns: field(str, 'A message indicating the user has been transferred to a human agent.'),
  call: () => 'Transfer successful',
})
