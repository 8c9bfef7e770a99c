import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, askedTransitions } from '../../agents/index.ts'
import { observationText, type Trajectory, type Transition, UserError } from '../../core/index.ts'
import { type Environment, HELD_OUT, trajectorySchema } from '../../environments/index.ts'
import { type Config, readCollected, readFiltered } from '../../stages/index.ts'
import { type RunFolder, readLines } from '../../store/index.ts'
import type { Message } from '../../tokens/index.ts'

/** A message as every trainer reads it. */
export type PlainMessage = Pick<Message, 'role' | 'content'>

/** What follows an action: how it is asked, and what is true. */
export interface WorldModelExample {
  id: string
  taskId: string
  kind: string
  /** Who answered the action: rewards may differ by it. */
  answeredBy: Transition['next']['from']
  valid: boolean
  /** As world-model RL asks, and as supervised training does. */
  prompt: PlainMessage[]
  labelPrompt: PlainMessage[]
  label: string
  truth: string
}

/** How the agent is asked what to do first in a task. */
export interface PolicyExample {
  taskId: string
  kind: string
  prompt: PlainMessage[]
}

/** One split of a run. */
export interface ExportedSplit {
  split: string
  worldModel: WorldModelExample[]
  policy: PolicyExample[]
}

export interface Source {
  run: RunFolder
  config: Config
  agent: Agent
  /** Where held-out episodes were recorded elsewhere. */
  environment?: Pick<Environment, 'recorded'>
}

/** Held-out play: the model's own, that of others, that of imported logs. */
const HELD_OUT_PLAY = /^(?:held-out|recorded)-(seen|unseen)(?:-[\w-]+)?\.jsonl$/

/**
 * What a run has to teach, split by split: of training what the filter kept, of held-out play all. Prompts are whole, whatever the
 * model's context: another trainer has another.
 * @throws UserError where a task is in training and in a held-out split
 */
export function exportedSplits({ run, config, agent, environment }: Source): ExportedSplit[] {
  const collected = readCollected(run)
  const filtered = readFiltered(run)
  const dropped = new Set(filtered?.filter(({ kept }) => !kept).map(({ id }) => id))
  const kept = collected.train.filter(({ id }) => !dropped.has(id))
  const { reasoning } = config.worldModel
  const exampleOf = (one: Transition) => worldModelExample(agent, one, reasoning)
  const train: ExportedSplit = {
    split: 'train',
    worldModel: kept.map(exampleOf),
    policy: policyExamples(agent, collected.trajectories),
  }
  const trained = new Set(collected.trajectories.map(({ task }) => task.id))
  const held = HELD_OUT.flatMap((split): ExportedSplit[] => {
    const trajectories = environment?.recorded?.(split) ?? heldOutPlay(run, split)
    const both = trajectories.find(({ task }) => trained.has(task.id))
    if (both) {
      throw new UserError(
        `${run.path}: task ${both.task.id} is in training and in "${split}": nothing would be held out`,
      )
    }
    if (trajectories.length === 0) return []
    const worldModel = trajectories.flatMap((one) => askedTransitions(agent, one)).map(exampleOf)
    return [{ split, worldModel, policy: policyExamples(agent, trajectories) }]
  })
  return [train, ...held]
}

/** Whether an agent's first prompt can be told from what a run holds: commands and tools that it is shown beside are not there. */
export const hasPolicyPrompts = (agent: Agent): boolean => !agent.showsActions && agent.playTools === undefined

function heldOutPlay(run: RunFolder, split: string): Trajectory[] {
  const folder = join(run.path, 'rollouts')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names
    .filter((name) => HELD_OUT_PLAY.exec(name)?.[1] === split)
    .sort()
    .flatMap((name) => readLines(join(folder, name), trajectorySchema))
}

function worldModelExample(agent: Agent, one: Transition, reasoning: boolean): WorldModelExample {
  return {
    id: one.id,
    taskId: one.taskId,
    kind: one.taskKind,
    answeredBy: one.next.from,
    valid: one.valid,
    prompt: plain(agent.predictMessages(one, { reasoning })),
    labelPrompt: plain(agent.predictMessages(one, { reasoning: false })),
    label: agent.predictionLabel(one),
    truth: observationText(one.next),
  }
}

/** One a task, as at its first step. */
function policyExamples(agent: Agent, trajectories: readonly Trajectory[]): PolicyExample[] {
  if (!hasPolicyPrompts(agent)) return []
  const first = new Map(trajectories.map((one) => [one.task.id, one]))
  return [...first.values()].map(({ task, initial }) => ({
    taskId: task.id,
    kind: task.kind,
    prompt: plain(agent.playMessages({ instruction: task.instruction, tools: task.tools, initial, history: [] })),
  }))
}

const plain = (messages: readonly Message[]): PlainMessage[] => messages.map(({ role, content }) => ({ role, content }))
