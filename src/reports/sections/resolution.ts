import type { Block, Section } from '../document.ts'
import type { ReportInput } from '../input.ts'
import { changeOf, formatDetectable, measuresOf } from '../measures.ts'

/** What differences a run of this size would miss, from the width of its own intervals. */
export function resolutionSection(input: ReportInput): Section {
  const blocks: Block[] = []
  const { evaluation } = input
  const last = (evaluation?.arms.length ?? 0) - 1
  if (evaluation && last > 0) {
    const rows = measuresOf(evaluation).flatMap((measure) => {
      const change = changeOf(measure, 0, last)
      if (!change?.interval) return []
      const smallest = formatDetectable(change, measure.unit)
      return [[{ text: measure.title }, { text: measure.basis, tone: 'quiet' as const }, { text: smallest }]]
    })
    if (rows.length > 0) {
      blocks.push(
        {
          block: 'paragraph',
          content: [
            'The smallest true difference between the first and the last model that an evaluation like this one would find four times in five (two-sided, 5% error). Anything smaller can be there and stay unseen.',
          ],
        },
        {
          block: 'table',
          columns: [
            { title: 'Measure', align: 'left' },
            { title: 'On', align: 'left' },
            { title: 'Smallest detectable difference', align: 'right' },
          ],
          rows,
        },
      )
    }
  }
  if (input.resolution.length > 0) blocks.push({ block: 'list', items: input.resolution.map((sentence) => [sentence]) })
  if (blocks.length === 0) blocks.push({ block: 'paragraph', content: ['Not measured: there is nothing to compare.'] })
  return { id: 'resolution', title: 'What a run this small cannot see', blocks }
}
