import { any, bool, dict, field, float, type InstanceOf, list, literal, Model, optional, str } from '../model.ts'

/** Models of the recordings that the checks read; what they do not name is left aside. */

const text = optional(str)

export const Step = new Model('step', {
  requestor: field(literal('assistant', 'user'), undefined, 'assistant'),
  name: field(str),
  arguments: field(dict(any)),
  content: field(str),
  error: field(bool),
  /** After the step, where it was recorded. */
  db_hash: field(text, undefined, null),
  user_db_hash: field(text, undefined, null),
})

const Change = new Model('change', {
  op: field(literal('add', 'remove', 'replace')),
  path: field(str),
  value: field(any, undefined, null),
})

const State = new Model('state', {
  db_hash: field(str),
  user_db_hash: field(text, undefined, null),
  db_diff: field(optional(list(Change)), undefined, null),
  user_db_diff: field(optional(list(Change)), undefined, null),
})

const Assertion = new Model('assertion', {
  env_type: field(literal('assistant', 'user')),
  func_name: field(str),
  arguments: field(dict(any)),
  assert_value: field(bool),
  met: field(bool),
})

const Gold = new Model('gold world', {
  db_hash: field(str),
  user_db_hash: field(text, undefined, null),
  errors: field(list(str)),
})

export const TaskVector = new Model('task', {
  id: field(str),
  init: field(State),
  steps: field(list(Step)),
  live_final: field(State),
  env_assertions: field(list(Assertion)),
  gold_env: field(Gold),
  reward_basis: field(list(str)),
})

export const TaskVectors = new Model('file of tasks', {
  domain: field(str),
  initial_db_hash: field(str),
  initial_user_db_hash: field(text, undefined, null),
  tasks: field(list(TaskVector)),
})

export const Sequence = new Model('sequence', {
  task_id: field(text, undefined, null),
  steps: field(list(Step)),
  final_db_hash: field(str),
  final_user_db_hash: field(text, undefined, null),
  db_diff: field(optional(list(Change)), undefined, null),
  user_db_diff: field(optional(list(Change)), undefined, null),
})

export const SequenceVectors = new Model('file of sequences', {
  domain: field(str),
  sequences: field(list(Sequence)),
})

export const Transcript = new Model('transcript', {
  task_id: field(text, undefined, null),
  steps: field(list(Step)),
  final_db_hash: field(str),
  /** Null where the task of the transcript had other gold actions than the data's. */
  db_match: field(optional(bool), undefined, null),
  action_matches: field(optional(list(bool)), undefined, null),
  action_reward: field(optional(float), undefined, null),
  communicate_met: field(optional(list(bool)), undefined, null),
  communicate_reward: field(optional(float), undefined, null),
  assistant_texts: field(list(str), undefined, []),
  /** What the whole got when the conversation was held. */
  recorded_reward: field(optional(float), undefined, null),
})

export const TranscriptVectors = new Model('file of transcripts', {
  domain: field(str),
  simulations: field(list(Transcript)),
})

export const BadArguments = new Model('bad arguments', {
  rows: field(list(Step)),
  returns_schema: field(dict(any), undefined, new Map()),
})

export const Calculation = new Model('calculation', {
  expression: field(any),
  content: field(str),
  error: field(bool),
})

const ToolType = new Model('tool type', { type: field(str), mutates: field(bool) })

export const Texts = new Model('schemas and prompts', {
  policy: field(str),
  policy_sha256: field(text, undefined, null),
  tools: field(list(any)),
  tool_types: field(dict(ToolType)),
  user_tools: field(optional(list(any)), undefined, null),
  user_tool_types: field(optional(dict(ToolType)), undefined, null),
  agent_system_prompt_sha256: field(text, undefined, null),
  user_prompts: field(
    list(new Model('user prompt', { task_id: field(str), user_system_prompt: field(str) })),
    undefined,
    [],
  ),
})

export type Step = InstanceOf<typeof Step>
export type Change = InstanceOf<typeof Change>
export type State = InstanceOf<typeof State>
export type TaskVector = InstanceOf<typeof TaskVector>
export type Sequence = InstanceOf<typeof Sequence>
export type Transcript = InstanceOf<typeof Transcript>
export type BadArguments = InstanceOf<typeof BadArguments>
export type Texts = InstanceOf<typeof Texts>
