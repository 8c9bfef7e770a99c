import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Markup } from '../markup.ts'
import { barChart } from './barChart.ts'
import { heatMap } from './heatMap.ts'
import { intervalChart } from './intervalChart.ts'
import { lineChart } from './lineChart.ts'
import { linearScale } from './scale.ts'
import { shareBar } from './shareBar.ts'
import { standaloneDrawing } from './standalone.ts'
import { fitText, spreadLabels, textWidth } from './text.ts'

const anyNumber = fc.double()

/** Every attribute that should be a number is one, and no text shows a number gone wrong. */
function expectFinite({ markup }: Markup): void {
  expect(markup).not.toMatch(/NaN|Infinity|undefined/)
  for (const [, value] of markup.matchAll(/\s(?:x|y|x1|x2|y1|y2|cx|cy|r|width|height)="([^"]*)"/g)) {
    expect(value).toMatch(/^-?\d/)
    expect(Number.isFinite(Number(value))).toBe(true)
  }
}

describe('whatever the numbers, drawings hold finite ones only', () => {
  test('lines', () => {
    const points = fc.array(fc.tuple(fc.double(), anyNumber), { maxLength: 30 })
    fc.assert(
      fc.property(points, points, fc.constantFrom('share' as const, 'number' as const), (a, b, unit) => {
        const series = [a, b].map((found, index) => ({ name: `s${index}`, colour: 'c0', points: found }))
        expectFinite(lineChart({ label: 'l', x: 'step', y: 'y', unit, width: 340, height: 170, series }))
      }),
    )
  })

  test('bars', () => {
    const bar = fc.record({
      name: fc.string(),
      colour: fc.constant('c1'),
      value: fc.option(anyNumber),
      behind: fc.option(anyNumber),
    })
    fc.assert(
      fc.property(fc.array(bar, { maxLength: 6 }), (bars) => {
        expectFinite(barChart({ label: 'b', width: 510, names: 190, high: 1, bars }))
      }),
    )
  })

  test('heat maps', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const row = fc.record({ name: fc.string(), values: fc.array(fc.option(share), { maxLength: 40 }), all: share })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.double({ min: 1e-4, max: 1, noNaN: true }), (rows, high) => {
        const columns = Array.from({ length: 40 }, (_, i) => String(i))
        expectFinite(heatMap({ label: 'h', width: 510, across: 'layers', columns, rows, high }))
      }),
    )
  })

  test('intervals', () => {
    const row = fc.record({
      name: fc.string(),
      colour: fc.constant('c1'),
      value: fc.option(anyNumber),
      interval: fc.option(fc.record({ low: anyNumber, high: anyNumber })),
    })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
        const groups = [{ title: 'g', rows }]
        expectFinite(intervalChart({ label: 'i', width: 510, names: 160, unit: 'share', groups }))
      }),
    )
  })

  test('shares', () => {
    const part = fc.record({ name: fc.string(), colour: fc.constant('c1'), value: anyNumber })
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        expectFinite(shareBar({ label: 's', width: 1040, parts }))
      }),
    )
  })
})

describe('a scale', () => {
  test('maps its ends to the pixels given, with round ticks between', () => {
    const scale = linearScale([0.13, 0.41], [0, 100], { low: 0 })
    expect(scale.ticks).toEqual([0, 0.2, 0.4, 0.6])
    expect(scale(0)).toBe(0)
    expect(scale(0.6)).toBeCloseTo(100)
  })

  test('keeps every value inside', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        const scale = linearScale(values, [0, 100])
        for (const one of values) {
          expect(scale(one)).toBeGreaterThanOrEqual(-1e-6)
          expect(scale(one)).toBeLessThanOrEqual(100 + 1e-6)
        }
        expect(scale.ticks.length).toBeGreaterThan(0)
      }),
    )
  })

  test('of equal values still has a length', () => {
    const scale = linearScale([5, 5], [0, 100])
    expect(scale.high).toBeGreaterThan(scale.low)
  })
})

describe('labels', () => {
  test('move apart, in order, within their bounds', () => {
    expect(spreadLabels([50, 50, 10], 15, [0, 100])).toEqual([50, 65, 10])
    expect(spreadLabels([98, 99], 15, [0, 100])).toEqual([85, 100])
  })

  test('are cut to fit', () => {
    expect(fitText('base', 12, 100)).toBe('base')
    const cut = fitText('nearest training transition', 12, 80)
    expect(cut.endsWith('…')).toBe(true)
    expect(textWidth(cut, 12)).toBeLessThanOrEqual(80)
  })
})

test('a line is drawn through the mean of its neighbours, dots through the values', () => {
  const points = Array.from({ length: 40 }, (_, step) => [step, step % 2] as const)
  const chart = { label: 'l', x: 'step', y: 'y', unit: 'share' as const, width: 510, height: 230 }
  const { markup } = lineChart({ ...chart, series: [{ name: 'reward', colour: 'c1', points }] })
  expect(markup.match(/class="raw"/g)).toHaveLength(40)
  expect(markup.match(/class="line"/g)).toHaveLength(1)
  expect(markup).toContain('>reward</text>')
})

describe('a heat map', () => {
  const row = { name: 'down', values: [0, 0.5, null, 0.996], all: 0.5 }
  const map = heatMap({ label: 'm', width: 510, across: 'layers', columns: ['0', '1', '2', '3'], rows: [row], high: 1 })

  test('draws what is there, says it in the cell and on hovering, and rounds nearly all not to all', () => {
    expect(map.markup.match(/<title>down/g)).toHaveLength(4)
    expect(map.markup).toContain('<title>down, layers: 3: 99.60%</title>')
    expect(map.markup).toContain('>99.6%</text>')
    expect(map.markup).toContain('fill-opacity="0.05"')
  })

  test('stands as a file of its own, with colours and without variables', () => {
    const file = standaloneDrawing('both', [
      { title: 'one', drawing: map },
      { title: 'two', drawing: map },
    ])
    expect(file).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="542" height="\d+"/)
    expect(file).not.toContain('var(')
    expect(file.match(/<svg x="16" y="\d+" width="510"/g)).toHaveLength(2)
  })
})
