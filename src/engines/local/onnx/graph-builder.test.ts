import * as ort from 'onnxruntime-node'
import { describe, expect, it } from 'vitest'
import { GraphBuilder } from './graph-builder.ts'

describe('GraphBuilder', () => {
  it('runs a graph with symbolic dimensions, an initialiser and a contributed operator', async () => {
    const graph = new GraphBuilder('test')
    const x = graph.input('x', 'float32', ['rows', 2])
    const w = graph.initializer('w', Float32Array.of(1, 2, 3, 4, 5, 6), [3, 2])
    const y = graph.matmul(x, w, { transB: true, alpha: 0.5 })
    graph.output('y', graph.node('Add', [y, graph.scalar(1)]), 'float32', ['rows', 3])
    const session = await ort.InferenceSession.create(graph.build())
    for (const rows of [1, 3]) {
      const data = Float32Array.from({ length: rows * 2 }, (_, i) => i)
      const { y: result } = await session.run({ x: new ort.Tensor('float32', data, [rows, 2]) })
      expect(result.dims).toEqual([rows, 3])
      expect(Array.from(result.data as Float32Array).slice(0, 3)).toEqual([2, 3, 4])
    }
  })

  it('shares equal constants and handles negative integers', async () => {
    const graph = new GraphBuilder('test')
    expect(graph.int64([-1, 2])).toBe(graph.int64([-1, 2]))
    expect(graph.scalar(0)).not.toBe(graph.scalar(-0))
    const x = graph.input('x', 'float32', [2, 3])
    graph.output('y', graph.node('Reshape', [x, graph.int64([-1, 2])]), 'float32', [3, 2])
    const session = await ort.InferenceSession.create(graph.build())
    const { y } = await session.run({ x: new ort.Tensor('float32', new Float32Array(6), [2, 3]) })
    expect(y.dims).toEqual([3, 2])
  })

  it('names outputs after what they are: values that are used on, given out twice, or inputs', async () => {
    const graph = new GraphBuilder('test')
    const x = graph.input('x', 'float32', [2])
    const negative = graph.node('Neg', [x])
    graph.output('first', negative, 'float32', [2])
    graph.output('second', negative, 'float32', [2])
    graph.output('same', x, 'float32', [2])
    graph.output('double', graph.node('Add', [negative, negative]), 'float32', [2])
    const session = await ort.InferenceSession.create(graph.build())
    const outputs = await session.run({ x: new ort.Tensor('float32', Float32Array.of(1, 2), [2]) })
    const values = Object.entries(outputs).map(([name, { data }]) => [name, ...(data as Float32Array)])
    expect(values).toEqual([
      ['first', -1, -2],
      ['second', -1, -2],
      ['same', 1, 2],
      ['double', -2, -4],
    ])
  })
})
