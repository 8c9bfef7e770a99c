import { mean } from '../../core/index.ts'
import { cell, colourOf, intervalChart, left, right, type Section } from '../../reports/index.ts'
import { baseGains } from '../base-strength.ts'
import { differenceOf } from '../compare.ts'
import { primaryOf, type StudyResults } from '../results.ts'
import { empty, paragraph, percent, pointRange, points } from './words.ts'

/** Figure 4: what one method gains from bases of different strength. */
export function strengthSection(results: StudyResults): Section {
  const title = 'Figure 4: strength of the base'
  const gains = baseGains(results)
  if (gains.length < 2) {
    return empty('strength', title, 'a method under several bases, by settings: { model: { path } }, fills it.')
  }
  const found = gains.map(({ base, arm, seeds }) => {
    const [before, after] = [seeds.map((one) => one.before), seeds.map((one) => one.after)]
    return { base, arm, before, gain: differenceOf(before, after)! }
  })
  return {
    id: 'strength',
    title,
    blocks: [
      paragraph(`Success on ${primaryOf(results)}, in percent; the weakest base first. Intervals are over seeds.`),
      {
        block: 'table',
        columns: [
          left('Base'),
          left('Arm'),
          right('Seeds'),
          right('Base’s success'),
          right('After'),
          right('Gain, points'),
        ],
        rows: found.map(({ base, arm, gain }) => [
          cell(base),
          cell(arm, 'quiet'),
          cell(`${gain.seeds}`),
          cell(percent(gain.first)),
          cell(percent(gain.second)),
          { text: points(gain.difference), below: gain.interval ? pointRange(gain.interval) : 'one seed' },
        ]),
      },
      {
        block: 'figures',
        perRow: 1,
        figures: [
          {
            title: 'Gain by base',
            caption: 'points, 95 % intervals',
            drawing: intervalChart({
              label: 'Gain in success by base',
              width: 900,
              names: 260,
              unit: 'share',
              groups: [
                {
                  title: 'weakest base first',
                  rows: found.map(({ base, before, gain }, index) => ({
                    name: `${base} (${percent(mean(before))})`,
                    colour: colourOf(index),
                    value: gain.difference,
                    interval: gain.interval,
                  })),
                },
              ],
            }),
          },
        ],
        text: [],
      },
    ],
  }
}
