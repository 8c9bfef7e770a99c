import { type Cell, cell, type Section } from '../document.ts'
import { formatCount, formatShare, NOT_MEASURED } from '../format.ts'
import type { FilterKind, ReportInput } from '../input.ts'

/** What the filter kept, by kind, and how many groups still have something to teach. */
export function filterSection(input: ReportInput): Section {
  const { filter } = input
  const title = 'Filter'
  if (!filter) {
    return { id: 'filter', title, blocks: [{ block: 'paragraph', content: ['This run has no filter stage.'] }] }
  }
  const sum = (key: 'transitions' | 'easy' | 'hopeless' | 'kept') =>
    filter.kinds.reduce((total, kind) => total + kind[key], 0)
  const varied = filter.kinds.flatMap((kind) => kind.groupsWithVariance ?? [])
  const total: FilterKind = {
    kind: 'All',
    transitions: sum('transitions'),
    easy: sum('easy'),
    hopeless: sum('hopeless'),
    kept: sum('kept'),
    groupsWithVariance: varied.length < filter.kinds.length ? null : varied.reduce((sum, count) => sum + count, 0),
  }
  const settings = Object.entries(filter.settings).map(([name, value]) => `${name} ${plainValue(value)}`)
  return {
    id: 'filter',
    title,
    blocks: [
      {
        block: 'paragraph',
        content: ['Rule ', { code: filter.rule }, settings.length > 0 ? `: ${settings.join(', ')}.` : '.'],
      },
      {
        block: 'table',
        columns: [
          { title: 'Kind', align: 'left' },
          { title: 'transitions', align: 'right' },
          { title: 'easy', align: 'right' },
          { title: 'hopeless', align: 'right' },
          { title: 'kept', align: 'right' },
          { title: 'groups with variance', align: 'right' },
        ],
        rows: [...filter.kinds.map((kind) => kindRow(kind)), kindRow(total, 'strong')],
      },
      {
        block: 'note',
        content: [
          'Easy and hopeless as the filter model sees it; groups with variance are those where its predictions did not all earn the same: only they can teach GRPO anything.',
        ],
      },
    ],
  }
}

function kindRow(kind: FilterKind, tone?: Cell['tone']): Cell[] {
  const part = (count: number): Cell => {
    const share = kind.transitions > 0 ? ` (${formatShare(count / kind.transitions, 0)})` : ''
    return cell(`${formatCount(count)}${share}`, tone)
  }
  return [
    cell(kind.kind, tone),
    cell(formatCount(kind.transitions), tone),
    part(kind.easy),
    part(kind.hopeless),
    part(kind.kept),
    kind.groupsWithVariance === null ? cell(NOT_MEASURED, 'quiet') : part(kind.groupsWithVariance),
  ]
}

/** A setting's value in one line. */
export function plainValue(value: unknown): string {
  if (typeof value === 'string') return value
  return JSON.stringify(value) ?? String(value)
}
