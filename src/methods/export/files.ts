import type { Columns } from '../../store/index.ts'
import type { ExportedSplit } from './examples.ts'

/** Whose columns. */
export const EXPORT_FORMATS = ['verl', 'trl', 'jsonl'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** A file to be, without its ending. */
export interface ExportedFile {
  name: string
  columns: Columns
  rows: Record<string, unknown>[]
}

const MESSAGES = { list: { struct: { role: 'text', content: 'text' } } } as const
const ABOUT = { id: 'text', task_id: 'text', kind: 'text', answered_by: 'text', valid: 'yes or no' } as const
const ABOUT_TASK = { task_id: 'text', kind: 'text' } as const

/** The files of a split, in a trainer's columns. `environment` names where the texts come from. */
export function filesOf(format: ExportFormat, split: ExportedSplit, environment: string): ExportedFile[] {
  const files = { verl: verlFiles, trl: trlFiles, jsonl: ownFiles }[format](split, environment)
  return files.filter(({ rows }) => rows.length > 0)
}

/** As verl's `RLHFDataset` reads it; its reward manager is handed `data_source`, the truth and `extra_info`. */
function verlFiles({ split, worldModel, policy }: ExportedSplit, environment: string): ExportedFile[] {
  const columns = (about: Columns): Columns => ({
    data_source: 'text',
    prompt: MESSAGES,
    ability: 'text',
    reward_model: { struct: { style: 'text', ground_truth: 'text' } },
    extra_info: { struct: { split: 'text', index: 'whole number', ...about } },
  })
  const row = (ability: string, prompt: unknown, ground_truth: string, index: number, about: object) => ({
    data_source: `rwml/${environment}/${ability}`,
    prompt,
    ability,
    reward_model: { style: 'rule', ground_truth },
    extra_info: { split, index, ...about },
  })
  return [
    {
      name: `world-model-${split}`,
      columns: columns(ABOUT),
      rows: worldModel.map(({ id, taskId: task_id, kind, answeredBy: answered_by, valid, prompt, truth }, index) =>
        row('world-model', prompt, truth, index, { id, task_id, kind, answered_by, valid }),
      ),
    },
    {
      name: `policy-${split}`,
      columns: columns(ABOUT_TASK),
      // What a task is worth, only its environment knows.
      rows: policy.map(({ taskId: task_id, kind, prompt }, index) =>
        row('policy', prompt, '', index, { task_id, kind }),
      ),
    },
  ]
}

/** As TRL reads it: GRPO hands further columns to reward functions; SFT wants prompt and completion. */
function trlFiles({ split, worldModel, policy }: ExportedSplit): ExportedFile[] {
  return [
    {
      name: `grpo-${split}`,
      columns: { prompt: MESSAGES, ground_truth: 'text', ...ABOUT },
      rows: worldModel.map(
        ({ id, taskId: task_id, kind, answeredBy: answered_by, valid, prompt, truth: ground_truth }) => ({
          prompt,
          ground_truth,
          id,
          task_id,
          kind,
          answered_by,
          valid,
        }),
      ),
    },
    {
      name: `sft-${split}`,
      columns: { prompt: MESSAGES, completion: MESSAGES },
      rows: worldModel.map(({ labelPrompt: prompt, label }) => ({
        prompt,
        completion: [{ role: 'assistant', content: label }],
      })),
    },
    {
      name: `policy-${split}`,
      columns: { prompt: MESSAGES, ...ABOUT_TASK },
      rows: policy.map(({ taskId: task_id, kind, prompt }) => ({ prompt, task_id, kind })),
    },
  ]
}

/** All that is known of each, for everything else. */
function ownFiles({ split, worldModel, policy }: ExportedSplit): ExportedFile[] {
  return [
    {
      name: `world-model-${split}`,
      columns: {},
      rows: worldModel.map(
        ({ taskId: task_id, answeredBy: answered_by, labelPrompt: label_prompt, truth: ground_truth, ...rest }) => ({
          ...rest,
          task_id,
          answered_by,
          ground_truth,
          label_prompt,
        }),
      ),
    },
    {
      name: `policy-${split}`,
      columns: {},
      rows: policy.map(({ taskId: task_id, ...rest }) => ({ ...rest, task_id })),
    },
  ]
}
