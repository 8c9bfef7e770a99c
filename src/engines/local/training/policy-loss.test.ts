import * as ort from 'onnxruntime-node'
import { describe, expect, it } from 'vitest'
import { uniform } from '../../../core/index.ts'
import type { Loss } from '../../engine.ts'
import { klEstimate } from '../../loss-metrics.ts'
import { Tape } from '../autodiff/index.ts'
import { GraphBuilder } from '../onnx/index.ts'
import { lossRows } from './policy-loss.ts'

const ROWS = 200
const names = ['logprobs', 'entropy', 'advantages', 'oldLogprobs', 'refLogprobs'] as const
type Columns = Record<(typeof names)[number], number>

/** One row's loss, written out in double precision. */
function expectedLoss(loss: Loss, row: Columns): number {
  let value = -row.logprobs
  if (loss.kind === 'ppo') {
    const ratio = Math.exp(row.logprobs - row.oldLogprobs)
    const limited = Math.min(Math.max(ratio, 1 - loss.clipLow), 1 + loss.clipHigh)
    let objective = Math.min(ratio * row.advantages, limited * row.advantages)
    if (loss.dualClip && row.advantages < 0) objective = Math.max(objective, loss.dualClip * row.advantages)
    value = -objective - (loss.entropy ?? 0) * row.entropy
  }
  if (loss.kl) value += loss.kl.coefficient * klEstimate(row.logprobs - row.refLogprobs, loss.kl.estimator)
  return value
}

async function graphLoss(loss: Loss, rows: Columns[]): Promise<Record<'loss' | 'logprobs' | 'entropy', Float32Array>> {
  const graph = new GraphBuilder('loss')
  const tape = new Tape(graph)
  const columns = Object.fromEntries(names.map((name) => [name, tape.parameter(name, [ROWS, 1])]))
  const inputs = columns as Record<keyof Columns, (typeof columns)[string]>
  const output = lossRows(loss, {
    ...inputs,
    advantages: { ...inputs.advantages, needsGradient: false },
    oldLogprobs: { ...inputs.oldLogprobs, needsGradient: false },
    refLogprobs: { ...inputs.refLogprobs, needsGradient: false },
  })
  const ones = graph.constant(new Float32Array(ROWS).fill(1), [ROWS, 1])
  const zeros = graph.constant(new Float32Array(ROWS), [ROWS, 1])
  const [logprobs, entropy] = tape.gradients(output, ones, [inputs.logprobs, inputs.entropy])
  graph.output('loss', output.value, 'float32', [ROWS, 1])
  graph.output('d logprobs', logprobs ?? zeros, 'float32', [ROWS, 1])
  graph.output('d entropy', entropy ?? zeros, 'float32', [ROWS, 1])
  const session = await ort.InferenceSession.create(graph.build(), { logSeverityLevel: 3 })
  const feeds = Object.fromEntries(
    names.map((name) => [
      name,
      new ort.Tensor(
        'float32',
        Float32Array.from(rows, (row) => row[name]),
        [ROWS, 1],
      ),
    ]),
  )
  const outputs = await session.run(feeds)
  const data = (name: string) => outputs[name].data as Float32Array
  return { loss: data('loss'), logprobs: data('d logprobs'), entropy: data('d entropy') }
}

const ppo = { kind: 'ppo', clipLow: 0.2, clipHigh: 0.3 } as const
const losses: Loss[] = [
  { kind: 'cross_entropy' },
  { kind: 'cross_entropy', kl: { coefficient: 0.3, estimator: 'k1' } },
  { kind: 'cross_entropy', kl: { coefficient: 0.3, estimator: 'k2' } },
  { kind: 'cross_entropy', kl: { coefficient: 0.3, estimator: 'k3' } },
  ppo,
  { ...ppo, dualClip: 1.5 },
  { ...ppo, entropy: 0.1, kl: { coefficient: 0.2, estimator: 'k2' } },
  { ...ppo, dualClip: 1.5, kl: { coefficient: 0.2, estimator: 'k3' } },
]

describe('lossRows', () => {
  it.each(losses.map((loss) => [JSON.stringify(loss), loss] as const))('%s', async (_, loss) => {
    const rows = Array.from({ length: ROWS }, (_, i): Columns => {
      const draw = (name: string) => uniform(name, i)
      return {
        logprobs: -3 * draw('new'),
        entropy: 2 * draw('entropy'),
        advantages: 2 * draw('advantage') - 1,
        oldLogprobs: -3 * draw('old'),
        refLogprobs: -3 * draw('ref'),
      }
    })
    const result = await graphLoss(loss, rows)
    const h = 1e-6
    for (const [i, row] of rows.entries()) {
      expect(result.loss[i]).toBeCloseTo(expectedLoss(loss, row), 4)
      for (const name of ['logprobs', 'entropy'] as const) {
        const at = (x: number) => expectedLoss(loss, { ...row, [name]: row[name] + x })
        expect(result[name][i]).toBeCloseTo((at(h) - at(-h)) / (2 * h), 3)
      }
    }
  })

  it('does not overflow where the policies are far apart', async () => {
    const row = { logprobs: -1, entropy: 1, advantages: -1, oldLogprobs: -500, refLogprobs: 500 }
    const rows = Array.from({ length: ROWS }, () => row)
    const { loss, logprobs } = await graphLoss({ ...ppo, kl: { coefficient: 1, estimator: 'k3' } }, rows)
    expect(Number.isFinite(loss[0])).toBe(true)
    expect(Number.isFinite(logprobs[0])).toBe(true)
  })
})
