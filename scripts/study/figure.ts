import { mean } from '../../src/core/index.ts'
import { curveOf } from './analyse.ts'
import { CURVES, STEPS } from './arms.ts'
import type { SeedRecord } from './record.ts'

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [760, 380, 48, 190, 34, 44]

/** Told apart also without red and green (Okabe and Ito); controls are dashed. */
const COLOURS = ['#6b7280', '#0072b2', '#009e73', '#9aa0a6', '#d55e00', '#b0785a']

/**
 * Success along policy steps, as far as all arms go: a line an arm (mean over seeds), a faint one a seed, as a standalone SVG.
 * Where policy RL at equal compute ends is a dotted level: its steps are too many for the axis.
 */
export function curveFigure(records: readonly SeedRecord[]): string {
  const curves = CURVES.map((curve, i) => ({
    name: curve.name,
    colour: COLOURS[i],
    dashed: curve.name.includes('mismatched'),
    seeds: curveOf(records, curve, 'unseen').map((one) => one.filter(([steps]) => steps <= STEPS)),
  }))
  const equalCompute = mean(curveOf(records, CURVES[0], 'unseen').map((one) => one[one.length - 1][1]))
  const all = [...curves.flatMap(({ seeds }) => seeds.flat()), [0, equalCompute] as const]
  const most = Math.max(...all.map(([steps]) => steps))
  const top = Math.ceil(Math.max(...all.map(([, success]) => success)) * 10) / 10
  const x = (steps: number) => LEFT + (steps / most) * (WIDTH - LEFT - RIGHT)
  const y = (success: number) => HEIGHT - BOTTOM - (success / top) * (HEIGHT - TOP - BOTTOM)
  const path = (points: readonly (readonly [number, number])[]) =>
    points.map(([a, b], i) => `${i === 0 ? 'M' : 'L'}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join('')
  const parts: string[] = []
  for (let level = 0; level <= top + 1e-9; level += 0.1) {
    parts.push(
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(level)}" y2="${y(level)}" stroke="#8884" />`,
      `<text x="${LEFT - 8}" y="${y(level) + 4}" text-anchor="end">${Math.round(100 * level)} %</text>`,
    )
  }
  for (let steps = 0; steps <= most; steps += 5) {
    parts.push(`<text x="${x(steps)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${steps}</text>`)
  }
  parts.push(
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(equalCompute)}" y2="${y(equalCompute)}" stroke="${COLOURS[0]}" stroke-dasharray="1 3" />`,
  )
  const labels = curves
    .map(({ name, colour, seeds }) => {
      const last = seeds[0].length - 1
      return { name, colour, x: x(seeds[0][last][0]), y: y(mean(seeds.map((one) => one[last][1]))) }
    })
    .concat({ name: 'policy RL, equal compute', colour: COLOURS[0], x: WIDTH - RIGHT, y: y(equalCompute) })
    .sort((a, b) => a.y - b.y)
  let least = TOP
  for (const label of labels) {
    label.y = Math.max(label.y, least)
    least = label.y + 15
  }
  for (const { colour, dashed, seeds } of curves) {
    const average = seeds[0].map(([steps], i): [number, number] => [steps, mean(seeds.map((one) => one[i][1]))])
    for (const one of seeds)
      parts.push(`<path d="${path(one)}" stroke="${colour}" stroke-opacity="0.18" fill="none" />`)
    parts.push(
      `<path d="${path(average)}" stroke="${colour}" stroke-width="2.4" fill="none"${dashed ? ' stroke-dasharray="5 4"' : ''} />`,
    )
  }
  for (const { name, colour, y } of labels) {
    parts.push(`<text x="${WIDTH - RIGHT + 8}" y="${y + 4}" style="fill:${colour};font-weight:600">${name}</text>`)
  }
  parts.push(
    `<text x="${LEFT}" y="18" style="font-weight:600">Success on unseen layouts, ${records.length} seeds</text>`,
    `<text x="${WIDTH - RIGHT}" y="${HEIGHT - 6}" text-anchor="end">policy steps</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">
<style>text { fill: #57606a }</style>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff" />
${parts.join('\n')}
</svg>
`
}
