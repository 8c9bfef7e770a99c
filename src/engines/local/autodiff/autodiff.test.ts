import * as ort from 'onnxruntime-node'
import { describe, expect, it } from 'vitest'
import { uniform } from '../../../core/index.ts'
import { GraphBuilder } from '../onnx/index.ts'
import {
  add,
  attention,
  clip,
  concat,
  distributeRows,
  embed,
  exp,
  linear,
  log,
  logSoftmax,
  matmul,
  maximum,
  mean,
  minimum,
  mul,
  neg,
  permuteRows,
  reshape,
  rmsNorm,
  rotary,
  scale,
  slice,
  softmax,
  sub,
  sum,
  swiglu,
  Tape,
  type Tensor,
  tokenLogprobs,
  transpose,
  where,
} from './index.ts'

type Shapes = Record<string, number[]>

function values(shape: number[], ...seed: (number | string)[]): Float32Array {
  return Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => 2 * uniform(...seed, i) - 1)
}

function zip(target: Float32Array, numbers: readonly number[], rows: Float32Array): void {
  const width = rows.length / numbers.length
  for (const [i, number] of numbers.entries()) {
    for (let j = 0; j < width; j++) target[number * width + j] += rows[i * width + j]
  }
}

/**
 * Compare the gradient of Σ coefficient · output with central differences along a few random directions in all inputs.
 * `indices` are int32 inputs; `offset` moves the inputs away from 0 (for logarithms).
 */
async function checkGradient(
  shapes: Shapes,
  build: (inputs: Record<string, Tensor>, tape: Tape) => Tensor,
  options: { indices?: Record<string, number[]>; offset?: number } = {},
): Promise<void> {
  const { indices = {}, offset = 0 } = options
  const graph = new GraphBuilder('test')
  const tape = new Tape(graph)
  const inputs = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, tape.parameter(name, shape)]))
  for (const name of Object.keys(indices)) graph.input(name, 'int32', [indices[name].length])
  const output = build(inputs, tape)
  const coefficients = graph.input('coefficients', 'float32', output.shape)
  graph.output('output', output.value, 'float32', output.shape)
  const names = Object.keys(shapes)
  const gradients = tape.gradients(
    output,
    coefficients,
    names.map((name) => inputs[name]),
  )
  names.forEach((name, i) => {
    const value = gradients[i]
    if (value) graph.output(`d ${name}`, value, 'float32', shapes[name])
  })
  tape.rowGradients.forEach(({ rows, index, width }, i) => {
    graph.output(`rows ${i}`, rows, 'float32', [index, width])
  })
  const session = await ort.InferenceSession.create(graph.build(), { logSeverityLevel: 3, intraOpNumThreads: 2 })

  const point = Object.fromEntries(names.map((name) => [name, values(shapes[name], name).map((x) => x + offset)]))
  const run = async (at: Record<string, Float32Array>, weights?: Float32Array) => {
    const feeds: Record<string, ort.Tensor> = {}
    for (const name of names) feeds[name] = new ort.Tensor('float32', at[name], shapes[name])
    for (const [name, list] of Object.entries(indices)) feeds[name] = new ort.Tensor('int32', Int32Array.from(list))
    const shape = output.shape.map((dimension) => (typeof dimension === 'number' ? dimension : Number.NaN))
    const size = weights?.length ?? shape.reduce((a, b) => a * b, 1)
    feeds.coefficients = new ort.Tensor('float32', weights ?? new Float32Array(size), shape)
    return await session.run(feeds)
  }
  const shape = output.shape as number[]
  const weights = values(shape, 'coefficients')
  const outputs = await run(point, weights)
  const gradient = Object.fromEntries(
    names.map((name) => [name, (outputs[`d ${name}`]?.data as Float32Array) ?? new Float32Array(point[name].length)]),
  )
  for (const [i, { parameter, index }] of tape.rowGradients.entries()) {
    zip(gradient[parameter], indices[index], outputs[`rows ${i}`].data as Float32Array)
  }
  const loss = async (at: Record<string, Float32Array>): Promise<number> => {
    const data = (await run(at)).output.data as Float32Array
    return data.reduce((total, x, i) => total + x * weights[i], 0)
  }
  const h = 1 / 256
  for (const name of names) {
    for (let direction = 0; direction < 3; direction++) {
      const along = values(shapes[name], 'direction', name, direction)
      const moved = (sign: number) => ({ ...point, [name]: point[name].map((x, i) => x + sign * h * along[i]) })
      const difference = ((await loss(moved(1))) - (await loss(moved(-1)))) / (2 * h)
      const product = gradient[name].reduce((total, x, i) => total + x * along[i], 0)
      const size = Math.sqrt(gradient[name].reduce((total, x) => total + x * x, 0))
      expect(Math.abs(product - difference), `${name}: ${product} against ${difference}`).toBeLessThan(
        2e-3 * size + 1e-3,
      )
    }
  }
}

describe('gradients agree with finite differences', () => {
  const rows = { a: [5, 7], b: [5, 7] }
  const elementwise: [string, (a: Tensor, b: Tensor) => Tensor][] = [
    ['add', add],
    ['sub', sub],
    ['mul', mul],
    ['swiglu', swiglu],
    ['minimum', minimum],
    ['maximum', maximum],
  ]
  it.each(elementwise)('%s', async (_, operation) => {
    await checkGradient(rows, ({ a, b }) => operation(a, b))
  })

  it.each(elementwise.slice(0, 3))('%s with broadcasting', async (_, operation) => {
    await checkGradient({ a: [4, 5, 7], b: [5, 1] }, ({ a, b }) => operation(a, b))
    await checkGradient({ a: [7], b: [5, 7] }, ({ a, b }) => operation(a, b))
  })

  const unary: [string, (x: Tensor) => Tensor][] = [
    ['neg', neg],
    ['exp', exp],
    ['scale', (x) => scale(x, -2.5)],
    ['clip', (x) => clip(x, -0.38, 0.55)],
    ['softmax', softmax],
    ['log-softmax', logSoftmax],
    ['sum', (x) => sum(x, 1)],
    ['mean', (x) => mean(x, 0)],
    ['reshape', (x) => reshape(x, [7, -1], [7, 5])],
    ['transpose', (x) => transpose(x, [1, 0])],
    ['slice', (x) => slice(x, 1, 2, 5)],
  ]
  it.each(unary)('%s', async (_, operation) => {
    await checkGradient({ x: [5, 7] }, ({ x }) => operation(x))
  })

  it('log', async () => {
    await checkGradient({ x: [5, 7] }, ({ x }) => log(x), { offset: 2 })
  })

  it('where', async () => {
    await checkGradient({ a: [5, 7], b: [7] }, ({ a, b }, { graph }) =>
      where(graph.node('Less', [a.value, graph.scalar(0.2)]), scale(a, 0), b),
    )
  })

  it('concat', async () => {
    await checkGradient({ a: [2, 7], b: [3, 7], c: [1, 7] }, ({ a, b, c }) => concat([a, b, c], 0, 6))
  })

  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])('matmul, transposed %s %s', async (transA, transB) => {
    const a = transA ? [3, 6, 5] : [3, 5, 6]
    const b = transB ? [3, 4, 6] : [3, 6, 4]
    await checkGradient({ a, b }, (x) => matmul(x.a, x.b, { transA, transB, alpha: 0.7 }))
  })

  it('linear layer with a value used twice', async () => {
    await checkGradient({ x: [5, 6], w: [6, 6] }, ({ x, w }) => add(linear(linear(x, w), w), x))
  })

  it('RMS norm', async () => {
    await checkGradient({ x: [9, 16], w: [16] }, ({ x, w }) => rmsNorm(x, w, 1e-5))
  })

  it('rotary embedding', async () => {
    await checkGradient({ x: [4, 12] }, ({ x }, { graph }) => {
      const positions = graph.constant(BigInt64Array.of(0n, 3n, 1n, 2n), [4, 1])
      const angles = Float32Array.from({ length: 8 }, (_, i) => i * 0.7)
      const cosine = graph.initializer('cosine', angles.map(Math.cos), [4, 2])
      const sine = graph.initializer('sine', angles.map(Math.sin), [4, 2])
      const negative = graph.initializer(
        'negative',
        angles.map((a) => -Math.sin(a)),
        [4, 2],
      )
      return rotary(x, positions, cosine, sine, negative)
    })
  })

  it('embedding with repeated rows', async () => {
    await checkGradient({ table: [6, 4] }, ({ table }) => embed(table, 'ids', 5), { indices: { ids: [1, 5, 1, 0, 1] } })
  })

  it('rows, permuted, with some unused', async () => {
    const indices = { index: [3, 0, 1], inverse: [1, 2, 3, 0] }
    await checkGradient({ x: [4, 5] }, ({ x }) => permuteRows(x, 'index', 'inverse', 3, { unused: true }), { indices })
  })

  it('rows, distributed over two outputs', async () => {
    const indices = { one: [3, 0], two: [1, 2], inverse: [1, 2, 3, 0] }
    await checkGradient({ x: [4, 5] }, ({ x }) => concat(distributeRows(x, ['one', 'two'], 'inverse'), 0, 4), {
      indices,
    })
  })

  it('log-probabilities and entropy of a head', async () => {
    const shapes = { hidden: [5, 8], head: [11, 8] }
    const indices = { targets: [3, 10, 0, 3, 7] }
    await checkGradient(shapes, ({ hidden, head }) => tokenLogprobs(hidden, head, 'targets').logprobs, { indices })
    await checkGradient(shapes, ({ hidden, head }) => tokenLogprobs(hidden, head, 'targets').entropy, { indices })
  })

  it('attention over one and two key sets', async () => {
    const causal = Float32Array.from({ length: 9 }, (_, i) => (i % 3 > Math.floor(i / 3) ? -1e9 : 0))
    await checkGradient({ q: [6, 4], k: [6, 4], v: [6, 4] }, ({ q, k, v }, { graph }) => {
      const shape = graph.int64([2, 3, -1])
      const mask = graph.constant(causal, [3, 3])
      return attention(q, [{ keys: k, values: v, queryShape: shape, keyShape: shape, mask }], 0.5)
    })
    // Two answers of three tokens under one prefix of two.
    const shapes = { q: [6, 4], k: [6, 4], v: [6, 4], pk: [2, 4], pv: [2, 4] }
    await checkGradient(shapes, ({ q, k, v, pk, pv }, { graph }) => {
      const own = graph.int64([2, 3, -1])
      const cross = {
        keys: pk,
        values: pv,
        queryShape: graph.int64([1, 6, -1]),
        keyShape: graph.int64([1, 2, -1]),
        mask: graph.constant(new Float32Array(2), [1, 1, 2]),
      }
      const mask = graph.constant(causal, [3, 3])
      const sets = [cross, { keys: k, values: v, queryShape: own, keyShape: own, mask }]
      return attention(q, sets, 0.5, graph.int64([2, 3]))
    })
  })
})

describe('tape', () => {
  it('has no gradient for what the loss does not use, and refuses half-used parts', () => {
    const tape = new Tape(new GraphBuilder('test'))
    const x = tape.parameter('x', [4, 2])
    const y = tape.parameter('y', [4, 2])
    expect(tape.gradients(neg(x), tape.graph.scalar(1), [y])).toEqual([undefined])
    const [part] = distributeRows(x, ['a', 'b'], 'inverse')
    expect(() => tape.gradients(part, tape.graph.scalar(1), [x])).toThrow('not used')
    expect(() => add(x, tape.parameter('z', [3, 2]))).toThrow('broadcast')
  })
})
