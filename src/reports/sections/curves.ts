import type { MetricLine } from '../../evaluation/index.ts'
import { lineChart } from '../charts/lineChart.ts'
import { stageColour } from '../charts/palette.ts'
import type { Block, Figure, Inline, Section } from '../document.ts'
import { formatValue, plural, type Unit } from '../format.ts'
import type { ReportInput } from '../input.ts'
import { movingAverage, type Point, smoothingWindow, sparkline } from '../smoothing.ts'

interface Curve {
  /** Name in `metrics.jsonl`. */
  metric: string
  title: string
  y: string
  unit: Unit
}

/** What each kind of stage is judged by; the rest of its metrics stay in `metrics.jsonl`. */
const CURVES: Record<'worldModel' | 'policy' | 'supervised', readonly Curve[]> = {
  worldModel: [
    { metric: 'reward', title: 'World-model reward', y: 'mean reward of a step', unit: 'share' },
    {
      metric: 'groupVariance',
      title: 'Groups with variance',
      y: 'share of groups that teach something',
      unit: 'share',
    },
  ],
  policy: [
    { metric: 'success', title: 'Success on training tasks', y: 'share of episodes solved', unit: 'share' },
    { metric: 'invalidShare', title: 'Invalid actions', y: 'share of steps', unit: 'share' },
  ],
  supervised: [{ metric: 'loss', title: 'Loss', y: 'cross-entropy, nats a token', unit: 'number' }],
}

const HEALTH: readonly Curve[] = [
  { metric: 'kl', title: 'KL to the reference', y: 'nats a token', unit: 'number' },
  { metric: 'entropy', title: 'Entropy', y: 'nats a token', unit: 'number' },
  { metric: 'logprobDifference', title: 'Log-prob mismatch', y: 'mean |sampled − trained|', unit: 'number' },
]

/** Learning curves of every training stage: what it is for in large, its health in small. */
export function curvesSection(input: ReportInput): Section {
  const stages = [...new Set(input.metrics.map((line) => line.stage))]
  const blocks = stages.flatMap((stage) => stageBlocks(input, stage))
  if (blocks.length === 0) blocks.push({ block: 'paragraph', content: ['Not measured: no training steps are logged.'] })
  else {
    blocks.push({
      block: 'note',
      content: [
        'Dots are single steps, lines centred moving averages over a tenth of them. These are training tasks: see Results for held-out ones.',
      ],
    })
  }
  return { id: 'curves', title: 'Learning curves', blocks }
}

function stageBlocks(input: ReportInput, stage: string): Block[] {
  const lines = input.metrics.filter((line) => line.stage === stage)
  const kind = /policy/i.test(stage) ? 'policy' : /sft|fine.?tune|filter/i.test(stage) ? 'supervised' : 'worldModel'
  const has = (curve: Curve) => pointsOf(lines, curve.metric).length > 0
  const main = CURVES[kind].filter(has)
  const health = HEALTH.filter(has)
  if (main.length + health.length === 0) return []
  const title = input.stages.find((one) => one.name === stage)?.title ?? stage
  const colour = stageColour(stage)
  const figures = (curves: readonly Curve[], perRow: 2 | 3): Block[] =>
    curves.length === 0
      ? []
      : [
          {
            block: 'figures',
            perRow,
            figures: curves.map((curve) => curveFigure(title, lines, curve, colour, perRow)),
            text: [{ block: 'list', items: curves.map((curve) => curveText(lines, curve)) }],
          },
        ]
  return [{ block: 'paragraph', content: [{ strong: title }] }, ...figures(main, 2), ...figures(health, 3)]
}

function curveFigure(stage: string, lines: readonly MetricLine[], curve: Curve, colour: string, perRow: 2 | 3): Figure {
  const points = pointsOf(lines, curve.metric)
  return {
    title: curve.title,
    caption: ends(points, curve.unit),
    drawing: lineChart({
      label: `${curve.title}, ${stage}: ${ends(points, curve.unit)}`,
      x: 'step',
      y: curve.y,
      unit: curve.unit,
      width: perRow === 2 ? 510 : 340,
      height: perRow === 2 ? 230 : 170,
      series: [{ name: '', colour, points }],
    }),
  }
}

function curveText(lines: readonly MetricLine[], curve: Curve): Inline[] {
  const points = pointsOf(lines, curve.metric)
  return [
    `${curve.title}: `,
    { code: sparkline(points.map(([, value]) => value)) },
    ` ${ends(points, curve.unit)} in ${plural(points.length, 'step')}`,
  ]
}

/** Smoothed first and last value. */
function ends(points: readonly Point[], unit: Unit): string {
  const smooth = movingAverage(points, smoothingWindow(points.length))
  const [first, last] = [smooth[0], smooth[smooth.length - 1]]
  return `${formatValue(first[1], unit)} → ${formatValue(last[1], unit)}`
}

/** A metric by step; of a step written twice (a run that was resumed) the later line counts. */
function pointsOf(lines: readonly MetricLine[], metric: string): Point[] {
  const byStep = new Map<number, number>()
  for (const line of lines) {
    const value = line[metric]
    if (typeof value === 'number' && Number.isFinite(value)) byStep.set(line.step, value)
  }
  return [...byStep].sort(([a], [b]) => a - b)
}
