import { createHash } from 'node:crypto'
import { calculate } from '../calculator.ts'
import { Tau2World } from '../environment.ts'
import { PyError } from '../python/errors.ts'
import { dumps } from '../python/json.ts'
import type { PyValue } from '../python/value.ts'
import { functionSchema, returnsSchema, type Toolkit } from '../tool.ts'
import { type Guidelines, userPrompt } from '../users/prompt.ts'
import { expectEqual, type Tally } from './tally.ts'
import type { BadArguments, Texts } from './vectors.ts'
import type { LoadedDomain } from './world.ts'

/** A recorded schema as JavaScript writes it, which knows no ints and floats: protocols make nothing of these either. */
function plainText(schema: PyValue): string {
  return JSON.stringify(JSON.parse(dumps(schema)))
}

/**
 * Malformed arguments, and the schemas of results. What a recording does not show is whether each row had a world of its
 * own or one had them all, where an odd but good argument changed something: either will do.
 */
export function checkBadArguments(
  file: string,
  { domain, data }: LoadedDomain,
  { rows, returns_schema }: BadArguments,
  tally: Tally,
): void {
  const common = new Tau2World(domain, data)
  rows.forEach(({ requestor, name, arguments: args, content, error }, index) => {
    tally.unit(file, `${domain.name}, row ${index + 1}`, () => {
      const world = new Tau2World(domain, data)
      const result = tally.timed(() => world.call(requestor, name, args))
      const later = common.call(requestor, name, args)
      if (later.content === content && later.error === error) return
      expectEqual(`content of ${name}(${dumps(args)})`, content, result.content)
      expectEqual(`error of ${name}`, error, result.error)
    })
  })
  for (const [key, schema] of returns_schema) {
    tally.count('texts')
    tally.unit(file, `${domain.name}, result of ${key}`, () => {
      const [party, name] = key.split(':')
      const tool = (party === 'user' ? domain.userTools : domain.tools)?.tools.get(name)
      expectEqual('returns_schema', plainText(schema), tool ? JSON.stringify(returnsSchema(tool)) : 'no such tool')
    })
  }
}

/** One case of the calculator. */
export function checkCalculation(expression: PyValue, content: string, error: boolean, tally: Tally): void {
  const got = tally.timed(() => {
    try {
      return { content: calculate(expression), error: false }
    } catch (raised) {
      if (!(raised instanceof PyError)) throw raised
      return { content: `Error: ${raised.message}`, error: true }
    }
  })
  expectEqual('content', content, got.content)
  expectEqual('error', error, got.error)
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What the texts of a domain are compared with beside its own. */
export interface Prompts {
  /** An agent's system prompt around a policy: agents, in a room above, make it. */
  agent(policy: string): string
  guidelines(): Guidelines
}

/** A domain's policy, the schemas of its tools, and the prompts made of them. */
export function checkTexts(file: string, loaded: LoadedDomain, texts: Texts, prompts: Prompts, tally: Tally): void {
  const { domain, data, tasks } = loaded
  const check = (what: string, compare: () => void): void => {
    tally.count('texts')
    tally.unit(file, `${domain.name}, ${what}`, compare)
  }
  check('policy', () => {
    expectEqual('policy', texts.policy, data.policy)
    if (texts.policy_sha256 !== null) expectEqual('policy_sha256', texts.policy_sha256, sha256(data.policy))
  })
  check('tools', () => expectTools(domain.tools, texts.tools, texts.tool_types))
  if (texts.user_tools) {
    check('user tools', () => expectTools(domain.userTools, texts.user_tools ?? [], texts.user_tool_types))
  }
  const { agent_system_prompt_sha256: agentPrompt } = texts
  if (agentPrompt !== null) {
    check('agent prompt', () => expectEqual('sha256', agentPrompt, sha256(prompts.agent(data.policy))))
  }
  for (const { task_id, user_system_prompt } of texts.user_prompts) {
    const task = tasks.get(task_id)
    if (!task) {
      tally.count('skipped')
      continue
    }
    const prompt = () => userPrompt(prompts.guidelines(), task.scenario, domain.userTools !== null)
    check(`user prompt of ${task_id}`, () => expectEqual('user_system_prompt', user_system_prompt, prompt()))
  }
}

function expectTools(
  toolkit: Toolkit<never> | null,
  schemas: readonly PyValue[],
  types: Texts['user_tool_types'],
): void {
  const tools = [...(toolkit?.tools.values() ?? [])]
  schemas.forEach((schema, index) => {
    expectEqual('schema', plainText(schema), tools[index] ? JSON.stringify(functionSchema(tools[index])) : 'no tool')
  })
  expectEqual('number of tools', schemas.length, tools.length)
  for (const [name, { type, mutates }] of types ?? []) {
    const tool = toolkit?.tools.get(name)
    expectEqual(`type of ${name}`, `${type}, mutates: ${mutates}`, `${tool?.kind}, mutates: ${tool?.mutates}`)
  }
}
