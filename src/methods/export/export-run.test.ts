import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transcriptAgent, windowAgent } from '../../agents/index.ts'
import { refereeAnswer, refereeHas } from '../../core/testing/python.ts'
import { readFiltered } from '../../stages/index.ts'
import { RunFolder } from '../../store/index.ts'
import { AGENT, agentHash } from '../identity.ts'
import { writeFixtureRun } from '../testing/fixture-run.ts'
import { exportRun } from './export-run.ts'
import { EXPORT_FORMATS } from './files.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-export-'))
afterAll(() => rmSync(folder, { recursive: true }))
const run = join(folder, 'run')
const agent = transcriptAgent()

type Row = Record<string, unknown>
const lines = (...path: string[]): Row[] =>
  readFileSync(join(folder, ...path), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row)

/** Writes what a run says of its agent. */
function begunWith(hash: Record<string, string>): void {
  const opened = RunFolder.open(run)
  opened.writeInfo({ ...opened.readInfo(), begunWith: hash })
}

beforeAll(() => {
  writeFixtureRun(run, {
    tasks: 3,
    steps: 2,
    initial: (task) => `Room ${task}.`,
    turn: (task, step) => ({ action: `open ${step}`, next: `Door ${task}-${step} is open – ü.` }),
    settings: {},
    varied: 1,
    meanReward: 0.5,
  })
  const opened = RunFolder.open(run)
  const filtered = readFiltered(opened)!.map((line, i) => ({ ...line, kept: i > 0 }))
  writeFileSync(opened.filteredFile, filtered.map((line) => `${JSON.stringify(line)}\n`).join(''))
  // What was held out: the same play, of another task.
  const [played] = lines('run', 'rollouts', 'collect-0000.jsonl')
  const task = { ...(played.task as Row), id: 'other', split: 'unseen' }
  writeFileSync(opened.rolloutsFile('held-out-unseen'), `${JSON.stringify({ ...played, task })}\n`)
  begunWith({ [AGENT]: agentHash(agent) })
})

describe('exportRun', () => {
  it('writes each split and use into files of their own', async () => {
    for (const format of EXPORT_FORMATS) await exportRun({ run, format, out: join(folder, format) })
    const verl = ['policy-train', 'policy-unseen', 'world-model-train', 'world-model-unseen']
    const trl = ['grpo-train', 'grpo-unseen', 'policy-train', 'policy-unseen', 'sft-train', 'sft-unseen']
    const both = (names: string[]) => names.flatMap((name) => [`${name}.jsonl`, `${name}.parquet`])
    expect(readdirSync(join(folder, 'verl')).sort()).toEqual(['export.json', ...both(verl)])
    expect(readdirSync(join(folder, 'trl')).sort()).toEqual(['export.json', ...both(trl)].sort())
    expect(readdirSync(join(folder, 'jsonl')).sort()).toEqual(['export.json', ...verl.map((name) => `${name}.jsonl`)])
    const tasks = (split: string) => new Set(lines('trl', `grpo-${split}.jsonl`).map((row) => row.task_id))
    expect([...tasks('unseen')]).toEqual(['other'])
    expect(tasks('train').has('other')).toBe(false)
  })

  it('asks as the run asked, and leaves out what its filter dropped', () => {
    const rows = lines('verl', 'world-model-train.jsonl')
    expect(rows).toHaveLength(5)
    expect(rows[0]).toMatchObject({
      data_source: 'rwml/invented/world-model',
      ability: 'world-model',
      reward_model: { style: 'rule', ground_truth: 'Door 0-1 is open – ü.' },
      extra_info: {
        split: 'train',
        index: 0,
        id: 'task-0#0.1',
        task_id: 'task-0',
        answered_by: 'environment',
        valid: true,
      },
    })
    const [{ prompt, completion }] = lines('trl', 'sft-unseen.jsonl')
    expect(completion).toEqual([
      { role: 'assistant', content: '<thinking></thinking><next_state>Door 0-0 is open – ü.</next_state>' },
    ])
    expect(prompt).toEqual(lines('jsonl', 'world-model-unseen.jsonl')[0].label_prompt)
    expect(lines('verl', 'policy-train.jsonl')).toHaveLength(3)
  })

  it('refuses an agent that is not the run’s, and a task that is in both', async () => {
    const other = windowAgent({ historyTurns: 3, showActions: false })
    const how = { run, format: 'trl', out: join(folder, 'never') } as const
    await expect(exportRun({ ...how, agent: other })).rejects.toThrow(
      'was played by another agent than this experiment’s',
    )
    begunWith({ [AGENT]: agentHash(other) })
    await expect(exportRun(how)).rejects.toThrow('name its experiment file with --experiment')
    await expect(exportRun({ ...how, agent: other })).resolves.toMatchObject({ agent: other.name })
    begunWith({})
    const path = RunFolder.open(run).rolloutsFile('held-out-seen')
    writeFileSync(path, `${JSON.stringify(lines('run', 'rollouts', 'collect-0000.jsonl')[1])}\n`)
    await expect(exportRun(how)).rejects.toThrow('task task-1 is in training and in "seen"')
    rmSync(path)
  })

  it.skipIf(!refereeHas('datasets', 'pandas'))(
    'is read by datasets and pandas as it was written, and taken by verl’s data set and TRL’s templates',
    async () => {
      const folders = ['verl', 'trl'].map((name) => join(folder, name))
      const found = (await refereeAnswer('trainer_data.py', MODEL, ...folders)) as Record<string, Found>
      expect(Object.keys(found)).toHaveLength(10)
      for (const [file, { columns, rows, trainer, ...rest }] of Object.entries(found)) {
        const written = lines(file.replace('.parquet', '.jsonl'))
        expect([file, rows]).toEqual([file, written])
        expect(columns).toEqual(Object.keys(written[0]))
        expect(rest).toEqual({ same_lines: true, pandas: written.length })
        if (trainer === null) continue
        expect([file, trainer]).toEqual([file, written.map(file.startsWith('verl/') ? asVerlHands : asTrlWrites)])
      }
    },
    300_000,
  )
})

interface Found {
  columns: string[]
  rows: Row[]
  /** What the trainer's own code makes of the file; null where it is not installed. */
  trainer: Row[] | null
}

const MODEL = join(import.meta.dirname, '..', '..', '..', 'models', 'mini')

function asVerlHands({ prompt, data_source, ability, reward_model, extra_info }: Row): Row {
  const { index } = extra_info as Row
  return { raw_prompt: prompt, data_source, ability, reward_model, extra_info, index }
}

/** Messages in the miniature's template. */
function asTrlWrites({ prompt, completion }: Row): Row {
  const text = (messages: unknown) =>
    (messages as Message[]).map(({ role, content }) => `<|${role}|>${content}${role === 'assistant' ? '<|end|>' : ''}`)
  const reply = text(completion ?? []).join('')
  return {
    prompt: `${text(prompt).join('')}<|assistant|>`,
    ...(completion !== undefined && { completion: reply.slice('<|assistant|>'.length) }),
  }
}

interface Message {
  role: string
  content: string
}
