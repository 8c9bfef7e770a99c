import { type EngineChoice, type ModelConfig, parameterCount, trainingMemory } from '../engines/index.ts'
import { HELD_OUT } from '../environments/index.ts'
import { type Config, type Expected, type Rehearsal, rehearse, type Stage, type StagePlan } from '../stages/index.ts'
import type { ChatFormat } from '../tokens/index.ts'
import type { Method } from './method.ts'
import { requireTasks } from './open.ts'
import { type Given, openEngine, partsOf } from './parts.ts'

/** What a run would do, stage by stage, and what it rests on. */
export interface MethodPlan {
  /** A stage that cannot tell has none. */
  stages: { stage: Stage; plan: StagePlan | null }[]
  rehearsal: Rehearsal
  model: ModelConfig
  parameters: number
  /** Estimated peak of training, bytes; null where it is not this machine's. */
  memory: number | null
  /** Where it would be trained, when not here. */
  engine: EngineChoice | undefined
  /** Name of the agent: how the model is asked, and whether its template shows the tools. */
  agent: string
  /** Turns the rehearsal's tokens into text. */
  format: ChatFormat
}

/** Rehearse with the base model, then plan every stage. Writes nothing and trains nothing. */
export async function planMethod(
  method: Method,
  config: Config,
  given: Given,
  warn: (message: string) => void,
): Promise<MethodPlan> {
  const parts = partsOf(config, given, warn)
  const { environment, agent, format } = parts
  requireTasks(environment)
  const engine = await openEngine(parts, config)
  try {
    const rehearsal = await rehearse({ environment, agent, format, trainer: engine.trainer(), config })
    const heldOut = HELD_OUT.filter((split) => environment.splits().includes(split))
    const expected: Expected = {
      tasks: environment.tasks('train').length,
      heldOut: Object.fromEntries(heldOut.map((split) => [split, environment.tasks(split).length])),
      train: 0,
      filter: 0,
      arms: 1,
    }
    return {
      stages: method.stages.map((stage) => ({ stage, plan: stage.plan?.(config, rehearsal, expected) ?? null })),
      rehearsal,
      model: engine.config,
      parameters: parameterCount(engine.config),
      memory: parts.engine ? null : trainingMemory(engine.config, parts.lora),
      engine: parts.engine,
      agent: agent.name,
      format,
    }
  } finally {
    await engine.close()
  }
}
