import { UserError } from '../../core/index.ts'
import { constructFrom, readJson } from './files.ts'
import { any, bool, dict, field, type InstanceOf, list, literal, Model, optional, str, union } from './model.ts'
import { isDict, type PyDict, type PyValue } from './python/value.ts'

/** The two who act. */
export type Party = 'assistant' | 'user'

/** What a task's reward is made of: the product of these. */
export type RewardType = 'DB' | 'ENV_ASSERTION' | 'NL_ASSERTION' | 'ACTION' | 'COMMUNICATE'

/** A call of a tool or another method on one side, by name. */
export interface FunctionCall {
  party: Party
  name: string
  arguments: PyDict
}

export interface Assertion extends FunctionCall {
  /** What the method must return. */
  expected: boolean
  message: string | null
}

/** One call of the reference solution. */
export interface GoldAction extends FunctionCall {
  id: string
  /** Arguments that count; null: those that the compared call has. */
  compared: readonly string[] | null
}

export interface Instructions {
  domain: string
  reasonForCall: string
  knownInfo: string | null
  unknownInfo: string | null
  taskInstructions: string
}

/** All that the user is told of itself. */
export interface Scenario {
  persona: string | null
  instructions: string | Instructions
}

/** A message from before the conversation, which the environment replays. */
export interface HistoryMessage {
  role: Party | 'tool'
  content: string | null
  calls: { id: string; name: string; party: Party; arguments: PyDict }[]
  /** Of a result: whose call it answers. */
  id: string | null
  party: Party
  error: boolean
}

/** What is changed before the conversation, in this order. */
export interface InitialState {
  data: { assistant: PyDict | null; user: PyDict | null }
  actions: readonly FunctionCall[]
  history: readonly HistoryMessage[]
}

export interface Criteria {
  actions: readonly GoldAction[]
  assertions: readonly Assertion[]
  /** Neither actions nor assertions were given: then there is nothing to compare databases with. */
  hasReference: boolean
  communicate: readonly string[]
  nlAssertions: readonly string[]
  basis: readonly RewardType[]
}

export interface Tau2Task {
  id: string
  scenario: Scenario
  /** For an agent without a user. */
  ticket: string | null
  initial: InitialState
  /** Null: every conversation that ends well is right. */
  criteria: Criteria | null
}

/** What counts where a task does not say, as in upstream's versions before reward bases were written down. */
const DEFAULT_BASIS: RewardType[] = ['DB', 'COMMUNICATE']

const party = literal('assistant', 'user')
const text = optional(str)

const structuredInstructions = new Model('StructuredUserInstructions', {
  domain: field(str),
  reason_for_call: field(str),
  known_info: field(text, undefined, null),
  unknown_info: field(text, undefined, null),
  task_instructions: field(str),
})

const action = new Model('Action', {
  action_id: field(str),
  requestor: field(party, undefined, 'assistant'),
  name: field(str),
  arguments: field(dict(any)),
  compare_args: field(optional(list(str)), undefined, null),
})

const functionCall = new Model('EnvFunctionCall', {
  env_type: field(party),
  func_name: field(str),
  arguments: field(dict(any)),
})

const assertion = new Model('EnvAssertion', {
  ...functionCall.fields,
  assert_value: field(bool, undefined, true),
  message: field(text, undefined, null),
})

const toolCall = new Model('ToolCall', {
  id: field(str, undefined, ''),
  name: field(str),
  arguments: field(dict(any)),
  requestor: field(party, undefined, 'assistant'),
})

const message = new Model('Message', {
  role: field(literal('assistant', 'user', 'tool')),
  content: field(text, undefined, null),
  tool_calls: field(optional(list(toolCall)), undefined, null),
  id: field(text, undefined, null),
  requestor: field(party, undefined, 'assistant'),
  error: field(bool, undefined, false),
})

const initialState = new Model('InitialState', {
  initialization_data: field(
    optional(
      new Model('InitializationData', {
        agent_data: field(optional(dict(any)), undefined, null),
        user_data: field(optional(dict(any)), undefined, null),
      }),
    ),
    undefined,
    null,
  ),
  initialization_actions: field(optional(list(functionCall)), undefined, null),
  message_history: field(optional(list(message)), undefined, null),
})

const criteria = new Model('EvaluationCriteria', {
  actions: field(optional(list(action)), undefined, null),
  env_assertions: field(optional(list(assertion)), undefined, null),
  communicate_info: field(optional(list(str)), undefined, null),
  nl_assertions: field(optional(list(str)), undefined, null),
  reward_basis: field(
    list(literal('DB', 'ENV_ASSERTION', 'NL_ASSERTION', 'ACTION', 'COMMUNICATE')),
    undefined,
    DEFAULT_BASIS,
  ),
})

const task = new Model('Task', {
  id: field(str),
  user_scenario: field(
    new Model('UserScenario', {
      persona: field(text, undefined, null),
      instructions: field(union(structuredInstructions, str)),
    }),
  ),
  ticket: field(text, undefined, null),
  initial_state: field(optional(initialState), undefined, null),
  evaluation_criteria: field(optional(criteria), undefined, null),
})

type RawTask = InstanceOf<typeof task>

function scenarioOf({ persona, instructions }: RawTask['user_scenario']): Scenario {
  if (typeof instructions === 'string') return { persona, instructions }
  const { domain, reason_for_call, known_info, unknown_info, task_instructions } = instructions
  return {
    persona,
    instructions: {
      domain,
      reasonForCall: reason_for_call,
      knownInfo: known_info,
      unknownInfo: unknown_info,
      taskInstructions: task_instructions,
    },
  }
}

function historyMessage(one: InstanceOf<typeof message>): HistoryMessage {
  const calls = one.tool_calls ?? []
  return {
    role: one.role,
    content: one.content,
    calls: calls.map((call) => ({
      id: call.id,
      name: call.name,
      party: call.requestor,
      arguments: call.arguments,
    })),
    id: one.id,
    party: one.requestor,
    error: one.error,
  }
}

function functionCallOf(one: InstanceOf<typeof functionCall>): FunctionCall {
  return { party: one.env_type, name: one.func_name, arguments: one.arguments }
}

function initialOf(raw: RawTask['initial_state']): InitialState {
  const data = raw?.initialization_data
  return {
    data: { assistant: data?.agent_data ?? null, user: data?.user_data ?? null },
    actions: (raw?.initialization_actions ?? []).map(functionCallOf),
    history: (raw?.message_history ?? []).map(historyMessage),
  }
}

function criteriaOf(raw: InstanceOf<typeof criteria>): Criteria {
  return {
    actions: (raw.actions ?? []).map((one) => ({
      id: one.action_id,
      party: one.requestor,
      name: one.name,
      arguments: one.arguments,
      compared: one.compare_args,
    })),
    assertions: (raw.env_assertions ?? []).map((one) => ({
      ...functionCallOf(one),
      expected: one.assert_value,
      message: one.message,
    })),
    hasReference: raw.actions !== null || raw.env_assertions !== null,
    communicate: raw.communicate_info ?? [],
    nlAssertions: raw.nl_assertions ?? [],
    basis: raw.reward_basis,
  }
}

/** A task from upstream's task file. @param file named in errors */
function taskOf(value: PyValue, file: string): Tau2Task {
  const raw = constructFrom(task, value, file)
  return {
    id: raw.id,
    scenario: scenarioOf(raw.user_scenario),
    ticket: raw.ticket,
    initial: initialOf(raw.initial_state),
    criteria: raw.evaluation_criteria && criteriaOf(raw.evaluation_criteria),
  }
}

/**
 * The tasks of a domain, in the file's order.
 * @param folder upstream's folder of the domain
 * @throws UserError naming the first task that is not as it should be
 */
export function loadTasks(folder: string): Map<string, Tau2Task> {
  const name = 'tasks.json'
  const value = readJson(folder, name)
  if (!Array.isArray(value)) throw new UserError(`${folder}/${name} is not a list of tasks`)
  const tasks = new Map<string, Tau2Task>()
  for (const [index, one] of value.entries()) {
    const id = isDict(one) ? one.get('id') : undefined
    const read = taskOf(one, `${folder}/${name}, task ${typeof id === 'string' ? id : index}`)
    if (tasks.has(read.id)) throw new UserError(`${folder}/${name} has two tasks "${read.id}": give one another id`)
    tasks.set(read.id, read)
  }
  return tasks
}

/**
 * Ids of tasks by split, as `split_tasks.json` has them.
 * @throws UserError when it is missing or not a table of ids
 */
export function loadSplits(folder: string): Map<string, string[]> {
  const name = 'split_tasks.json'
  const splits = new Model('splits', { splits: field(dict(list(str))) })
  return constructFrom(splits, new Map([['splits', readJson(folder, name)]]), `${folder}/${name}`).splits
}
