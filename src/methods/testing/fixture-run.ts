/** TEST FIXTURE: a run folder that has collected, and filtered, in an invented environment. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Observation, type Trajectory, transitionsOf } from '../../core/index.ts'
import { resolveConfig, transitionLine } from '../../stages/index.ts'
import { makeFolder, RunFolder, writeJson } from '../../store/index.ts'
import { miniPreset } from '../mini.ts'

export interface FixtureRun {
  tasks: number
  steps: number
  /** First observation of a task. */
  initial(task: number): string
  turn(task: number, step: number): { action: string; next: string }
  settings: Record<string, unknown>
  /** Of the filter's groups. */
  varied: number
  meanReward: number
}

const say = (text: string): Observation => ({ from: 'environment', text })

export function writeFixtureRun(path: string, fixture: FixtureRun): void {
  const { tasks, steps, initial, turn, settings, varied, meanReward } = fixture
  const run = RunFolder.create(path)
  const { fields } = resolveConfig(miniPreset, { 'environment.name': 'invented', 'collect.rollouts': 1, ...settings })
  run.writeInfo({
    method: 'rwml',
    command: 'test',
    status: 'interrupted',
    seed: 0,
    environment: 'invented',
    model: { name: 'mini', parameters: 1, description: '' },
    machine: { cpu: 'test', cores: 1, memory: 1 },
    version: '0',
    node: '20',
    begunWith: {},
    startedAt: '2026-01-01T00:00:00Z',
  })
  writeJson(run.configFile, fields)
  makeFolder(join(path, 'rollouts'))
  const trajectories = Array.from({ length: tasks }, (_, task): Trajectory => {
    const turns = Array.from({ length: steps }, (_, step) => {
      const { action, next } = turn(task, step)
      return { action, observation: say(next) }
    })
    return {
      task: { id: `task-${task}`, split: 'train', kind: 'invented', instruction: 'find out.' },
      sample: 0,
      seed: 0,
      initial: say(initial(task)),
      turns: turns.map(({ action, observation }) => ({
        reply: action,
        action: { kind: 'text', text: action },
        observation,
        valid: true,
        tokens: [1, 2],
        logprobs: [-1, -1],
      })),
      done: true,
      truncated: false,
      sequences: [{ tokens: [1, 2], mask: [1, 1], logprobs: [-1, -1] }],
    }
  })
  const lines = (values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')
  writeFileSync(run.rolloutsFile('collect-0000'), lines(trajectories))
  const transitions = trajectories.flatMap(transitionsOf)
  const ids = transitions.map(({ id }) => id)
  writeFileSync(run.transitionsFile, transitions.map((one) => transitionLine(one, 'train')).join(''))
  const filtered = ids.map((id, i) => ({
    id,
    kind: 'all',
    meanReward,
    varied: i < varied * ids.length,
    verdict: 'between',
    kept: true,
  }))
  writeFileSync(run.filteredFile, lines(filtered))
}
