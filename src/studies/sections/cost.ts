import { type Cell, cell, formatLarge, formatSeconds, left, right, type Section } from '../../reports/index.ts'
import { costOf, type StudyResults } from '../results.ts'
import { paragraph } from './words.ts'

/** What each arm costs with everything that it needs. */
export function costSection(results: StudyResults): Section {
  const rows = results.study.arms.flatMap(({ arm, stages }): Cell[][] => {
    const cost = stages.length > 0 ? costOf(results, arm) : null
    return cost
      ? [
          [
            cell(arm),
            cell(formatLarge(cost.sampled)),
            cell(formatLarge(cost.trained)),
            cell(formatLarge(cost.read)),
            cell(cost.flops === null ? '–' : formatLarge(cost.flops)),
            cell(formatSeconds(cost.seconds)),
          ],
        ]
      : []
  })
  return {
    id: 'cost',
    title: 'Cost',
    blocks: [
      paragraph(
        'Each arm with everything that it needs, as if it were run alone; means over seeds, without evaluation.',
      ),
      {
        block: 'table',
        columns: [
          left('Arm'),
          right('Tokens sampled'),
          right('Tokens trained'),
          right('Tokens read'),
          right('Operations'),
          right('Time'),
        ],
        rows,
      },
    ],
  }
}
