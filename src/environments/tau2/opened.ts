import type { Tool as DescribedTool } from '../../core/index.ts'
import type { Domain, DomainState } from './domain.ts'
import { Tau2World } from './environment.ts'
import { type Evaluation, type EvaluatorOptions, evaluate, type JudgedConversation } from './evaluator/evaluate.ts'
import type { JsonSchema } from './model.ts'
import type { CallRunner } from './protocol/conversation.ts'
import { loadSplits, loadTasks, type Tau2Task } from './tasks.ts'
import { functionSchema, returnsSchema, type Toolkit } from './tool.ts'

/** A domain with its data, whatever its state is: what conversations are opened from. */
export interface OpenedDomain {
  readonly name: string
  readonly policy: string
  /** For an agent that works alone; null where the domain has no such mode. */
  readonly soloPolicy: string | null
  readonly tools: DescribedTool[]
  /** The user's own; null where it has none. */
  readonly userTools: DescribedTool[] | null
  /** JSON Schema of what each tool of the agent returns. */
  readonly returns: ReadonlyMap<string, JsonSchema>
  readonly tasks: ReadonlyMap<string, Tau2Task>
  readonly splits: ReadonlyMap<string, string[]>
  /** Whether a tool of either side changes anything; undefined where there is none. */
  mutates(tool: string): boolean | undefined
  /** The world at a task's beginning, a new one each time. */
  begin(task: Tau2Task, solo: boolean): CallRunner
  judge(task: Tau2Task, conversation: JudgedConversation, options: EvaluatorOptions): Promise<Evaluation>
}

/** @throws UserError where a file is missing or not as it should be. */
export function openDomain<State extends DomainState>(domain: Domain<State>, folder: string): OpenedDomain {
  const data = domain.load(folder)
  const { tools, userTools } = domain
  const all = [...tools.tools.values(), ...(userTools?.tools.values() ?? [])]
  const mutating = new Map(all.map((one) => [one.name, one.mutates]))
  return {
    name: domain.name,
    policy: data.policy,
    soloPolicy: data.soloPolicy ?? null,
    tools: described(tools),
    userTools: userTools && described(userTools),
    returns: new Map(all.map((one) => [one.name, returnsSchema(one)])),
    tasks: loadTasks(folder),
    splits: loadSplits(folder),
    mutates: (name) => mutating.get(name),
    begin(task, solo) {
      const world = new Tau2World(domain, data, solo)
      world.begin(task.initial)
      return world
    },
    judge: (task, conversation, options) => evaluate(domain, data, task, conversation, options),
  }
}

function described<State extends DomainState>(kit: Toolkit<State>): DescribedTool[] {
  return [...kit.tools.values()].map((one) => functionSchema(one).function)
}
