import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { type Player, toolsAgent, transcriptAgent } from '../agents/index.ts'
import { actionText, type Task } from '../core/index.ts'
import { type Environment, guarded } from '../environments/index.ts'
import { miniPreset } from '../methods/index.ts'
import { RunFolder } from '../store/index.ts'
import { resolveConfig } from './config.ts'
import type { StageContext } from './context.ts'
import { type ExpertOptions, expertStage } from './expert.ts'
import type { Artifacts } from './stage.ts'

const root = mkdtempSync(join(tmpdir(), 'rwml-expert-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let runs = 0
let played: string[] = []
beforeEach(() => {
  played = []
})

/** Solves a task of its own name's length and no other. */
const player = (task: Task): Player => ({
  name: 'counts',
  act({ history }) {
    if (history.length === 0) played.push(task.id)
    return { kind: 'text', text: history.length === 2 && task.id !== 'c' ? 'yes' : 'wait' }
  },
})

/** Solved by "yes"; ends after four steps. */
const environment: Environment = {
  name: 'echo',
  splits: () => ['train', 'unseen'],
  tasks: (split) =>
    (split === 'train' ? ['a', 'b', 'c'] : ['held']).map((id) => ({ id, split, kind: 'echo', instruction: 'say yes' })),
  open: () => ({
    initial: { from: 'environment', text: 'Well?' },
    step(action) {
      const text = actionText(action)
      const done = text === 'yes'
      return { observation: { from: 'environment', text }, valid: true, done, truncated: false, reward: done ? 1 : 0 }
    },
  }),
  planner: player,
}

async function expertIn(
  options: ExpertOptions,
  { folder = join(root, `run-${runs++}`), ...other }: { folder?: string } & Partial<StageContext> = {},
) {
  const context = {
    run: RunFolder.create(folder),
    config: resolveConfig(miniPreset, { 'collect.tasks': 3, 'collect.maxSteps': 4 }).config,
    environment: guarded(environment),
    agent: transcriptAgent(),
    progress: { start() {}, update() {}, finish() {} },
    signal: new AbortController().signal,
    warn() {},
    ...other,
  } as unknown as StageContext
  const artifacts = { models: new Map(), arms: [] } as unknown as Artifacts
  const { notes } = await expertStage(options).run(context, artifacts)
  return { expert: artifacts.expert!, notes, folder }
}

it('keeps what the planner solved, in the agent’s own words, and plays nothing twice', async () => {
  const { expert, notes, folder } = await expertIn({ attempts: 2 })
  expect(notes).toEqual(['4 of 6 attempts of planner kept: 2 tasks, 12 actions', 'left out: 2 not solved'])
  expect(expert[0].turns.map(({ reply }) => reply)).toEqual([
    '<thinking></thinking>wait',
    '<thinking></thinking>wait',
    '<thinking></thinking>yes',
  ])
  const file = join(folder, 'rollouts', 'expert-planner.jsonl')
  const lines = readFileSync(file, 'utf8').split('\n')
  // Killed after four attempts, in the middle of writing the fifth.
  writeFileSync(file, `${lines.slice(0, 4).join('\n')}\n${lines[4].slice(0, 30)}`)
  played = []
  const again = await expertIn({ attempts: 2 }, { folder })
  expect(played).toHaveLength(2)
  expect(again.expert).toEqual(expert)
})

it('lets players take turns, and keeps successes alone', async () => {
  const idle = (): Player => ({ name: 'idle', act: () => ({ kind: 'text', text: 'wait' }) })
  const { notes } = await expertIn({ source: { players: { strong: player, weak: idle } }, attempts: 3 })
  expect(notes[0]).toBe('4 of 9 attempts of strong, weak kept: 2 tasks, 12 actions')
})

it('reads trajectories, whatever run they are of, but none of held-out tasks', async () => {
  const { folder } = await expertIn({ attempts: 2 })
  const stored = readFileSync(join(folder, 'rollouts', 'expert-planner.jsonl'), 'utf8')
  const file = join(root, 'demonstrations.jsonl')
  // Twice the same run, and one episode of a task that is held out.
  const [first] = stored.split('\n')
  writeFileSync(file, `${stored}${stored}${first.replace('"id":"a"', '"id":"held"')}\n`)
  const { expert, notes } = await expertIn({ source: { file } })
  expect(notes).toEqual([
    `8 of 13 attempts of ${file} kept: 2 tasks, 24 actions`,
    'left out: 4 not solved, 1 of held-out tasks',
  ])
  expect(new Set(expert.map(({ task, sample }) => `${task.id} ${sample}`)).size).toBe(8)
})

it('reads chat logs, and leaves out what the agent cannot write', async () => {
  const file = join(root, 'chats.jsonl')
  const call = { id: 'x', function: { name: 'find', arguments: '{"a":1}' } }
  const chat = (said: string) => [
    { role: 'user', content: 'Where?' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'x', content: 'here' },
    { role: 'assistant', content: said },
    { role: 'user', content: 'Thanks' },
  ]
  const lines = [{ messages: chat('It is here.') }, { messages: chat('It is <tool_call>.') }]
  writeFileSync(file, lines.map((one) => `${JSON.stringify({ ...one, split: 'train' })}\n`).join(''))
  const { expert, notes } = await expertIn({ source: { file } }, { agent: toolsAgent() })
  expect(notes).toEqual([
    `1 of 2 attempts of ${file} kept: 1 tasks, 2 actions`,
    'left out: 1 with an action that the agent’s format cannot carry',
  ])
  expect(expert[0].turns.map(({ reply }) => reply)).toEqual([
    '<thinking> </thinking>\n<tool_call>{"name":"find","arguments":{"a":1}}</tool_call>',
    '<thinking> </thinking>\nIt is here.',
  ])
})

it('says in one line what is wrong', async () => {
  const { planner: _, ...without } = environment
  await expect(expertIn({}, { environment: guarded(without) })).rejects.toThrow(
    /^echo has no planner: give it a member/,
  )
  await expect(expertIn({ source: { file: join(root, 'none') } })).rejects.toThrow(/none is no file: name one of/)
  const silent = (): Player => ({ name: 'silent', act: () => null })
  await expect(expertIn({ source: { players: { silent } }, retries: 0 })).rejects.toThrow(
    /^of 3 attempts of silent none can be learned from \(3 broken not by the player\)/,
  )
  const broken = { ...environment, planner: () => ({ name: 'p', act: () => ({ kind: 'dance' }) as never }) }
  await expect(expertIn({}, { environment: guarded(broken) })).rejects.toThrow(
    /^the environment echo: its planner, at the task \w, does what is no action: /,
  )
})
