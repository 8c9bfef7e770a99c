import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Environment, importLogs, tau2Environment } from '../environments/index.ts'
import { resolveConfig } from '../stages/index.ts'
import { alfworldPreset } from './alfworld.ts'
import { miniPreset } from './mini.ts'
import { partsOf } from './parts.ts'

/** Logs of conversations of the given kind. */
function logs(messages: object[]): Environment {
  const lines = [1, 2].map((id) => `${JSON.stringify({ id, split: 'train', messages })}\n`).join('')
  const { splits } = importLogs([{ path: 'chats.jsonl', content: Buffer.from(lines) }], { skipBad: false })
  const trajectories = splits.get('train')!
  return {
    name: 'logs',
    splits: () => ['train'],
    tasks: () => trajectories.map(({ task }) => task),
    recorded: () => trajectories,
    open() {
      throw new Error('cannot be played')
    },
  }
}

it('logs of calls and users are asked about as such, without being told so', () => {
  const environment = logs([
    { role: 'user', content: 'How many?' },
    { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'find', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'a', content: '{"left":3}' },
  ])
  const agent = (preset: typeof miniPreset, given: Environment) =>
    partsOf(resolveConfig(preset, { 'model.path': 'models/mini' }).config, { environment: given }, () => {}).agent.name
  expect(agent(miniPreset, environment)).toMatch(/^tools-transcript/)
  expect(agent(alfworldPreset, environment)).toMatch(/^tools/)
  expect(agent(miniPreset, { ...environment, recorded: undefined })).toBe('transcript')
})

it('τ²-bench has agents of its own, the short one for the transcript style', () => {
  const tiny = join(import.meta.dirname, '..', 'environments', 'tau2', 'testing', 'talks')
  const environment = tau2Environment({ data: tiny, domains: ['mock'] })
  const agent = (preset: typeof miniPreset) =>
    partsOf(resolveConfig(preset, { 'model.path': 'models/mini' }).config, { environment }, () => {}).agent.name
  expect(agent(miniPreset)).toMatch(/^tau2-small/)
  expect(agent(alfworldPreset)).toMatch(/^tau2,/)
})
