/**
 * A report as data, before it is HTML or Markdown: both are rendered from the same blocks, so neither can say what the
 * other does not.
 */
import type { Markup } from './markup.ts'

export interface ReportDocument {
  title: string
  /** The findings in one or two sentences. */
  verdict: Inline[]
  /** Short facts under the title: model, machine, date. */
  facts: string[]
  sections: Section[]
}

export interface Section {
  /** Anchor. */
  id: string
  title: string
  blocks: Block[]
}

export type Inline = string | { strong: string } | { code: string } | { muted: string }

export type Block =
  | { block: 'paragraph'; content: Inline[] }
  | { block: 'note'; content: Inline[] }
  | { block: 'list'; items: Inline[][] }
  | { block: 'table'; columns: Column[]; rows: Cell[][] }
  | { block: 'figures'; perRow: 1 | 2 | 3; figures: Figure[] /** What Markdown shows instead. */; text: Block[] }
  | { block: 'predictions'; predictions: Prediction[] }
  | { block: 'settings'; groups: { title: string; settings: Setting[] }[] }
  | { block: 'commands'; commands: { about: string; command: string }[] }

export interface Column {
  title: string
  align: 'left' | 'right'
  /** Columns of the same group stand under one heading. */
  group?: string
}

export const left = (title: string): Column => ({ title, align: 'left' })
export const right = (title: string, group?: string): Column => ({ title, align: 'right', group })

export interface Cell {
  text: string
  /** Smaller, on a second line. */
  below?: string
  tone?: Tone
}

/** `good` and `bad` only where an interval excludes zero. */
export type Tone = 'good' | 'bad' | 'quiet' | 'strong'

export interface Figure {
  title: string
  caption?: string
  drawing: Markup
}

/** One held-out transition and what each arm said would follow. */
export interface Prediction {
  kind: string
  instruction: string
  action: string
  actual: string
  answers: PredictionAnswer[]
}

export interface PredictionAnswer {
  arm: string
  predicted: string | null
  thinking: string | null
  distance: number | null
  reward: number
}

export interface Setting {
  name: string
  value: string
  source: 'paper' | 'ours' | 'user'
}

/** A cell that only holds text. */
export function cell(text: string, tone?: Tone): Cell {
  return { text, tone }
}
