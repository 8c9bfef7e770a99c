import { type Cell, cell, type Section } from '../document.ts'
import { formatCount, formatShare } from '../format.ts'
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
  const known = filter.kinds.filter((kind) => kind.groupsWithVariance !== null && kind.transitions > 0)
  const weight = known.reduce((total, kind) => total + kind.transitions, 0)
  const total: FilterKind = {
    kind: 'All',
    transitions: sum('transitions'),
    easy: sum('easy'),
    hopeless: sum('hopeless'),
    kept: sum('kept'),
    groupsWithVariance:
      weight === 0
        ? null
        : known.reduce((all, kind) => all + (kind.groupsWithVariance ?? 0) * kind.transitions, 0) / weight,
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
    cell(formatShare(kind.groupsWithVariance), tone),
  ]
}

/** A setting's value in one line. */
export function plainValue(value: unknown): string {
  if (typeof value === 'string') return value
  return JSON.stringify(value) ?? String(value)
}
