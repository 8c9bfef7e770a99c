import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Random } from '../core/index.ts'
import { refereeAnswer, refereeHas } from '../core/testing/python.ts'
import { type ModelConfig, parameterSpecs, writeModelFiles } from '../engines/index.ts'
import { writeAdapterFiles } from '../engines/local/adapter-folder.ts'
import { randomWeights, tinyConfig } from '../engines/local/testing/weights.ts'
import { elements, type FloatType, fromBfloat16, toBfloat16, writeJson, writeSafetensors } from '../store/index.ts'
import { MAIN_THRESHOLD, weightChange } from './weight-change.ts'

const root = mkdtempSync(join(tmpdir(), 'rwml-change-'))
afterAll(() => rmSync(root, { recursive: true }))

// An embedding of several pieces that do not come out even, and rows of odd width.
const config = tinyConfig({ model_type: 'qwen2', vocab_size: 3001, intermediate_size: 37, num_hidden_layers: 2 })

type Tensors = Map<string, { shape: number[]; data: Float32Array }>

function tensorsOf(flat: Float32Array, of: ModelConfig = config): Tensors {
  let at = 0
  return new Map(
    parameterSpecs(of).map(({ name, shape }) => {
      at += elements(shape)
      return [name, { shape, data: flat.subarray(at - elements(shape), at) }]
    }),
  )
}

let folders = 0
function folderOf(tensors: Tensors, of: ModelConfig = config, dtype: FloatType = 'F32'): string {
  const path = join(root, `model-${folders++}`)
  mkdirSync(path)
  writeModelFiles(path, of, tensors, new Map(), dtype)
  return path
}

/** Weights of which some are 0, and the same after changes of every size, some of which are none. */
function pair(): { before: Float32Array; after: Float32Array } {
  const before = randomWeights(config, 1)
  const random = new Random('changes')
  for (let i = 0; i < before.length; i += 11) before[i] = 0
  const after = before.map((value, i) => {
    if (i % 7 === 0) return value
    const change = (random.next() - 0.5) * 10 ** (-6 * random.next())
    return value === 0 ? change * (i % 2) : value * (1 + change)
  })
  return { before, after }
}

/** The definition, one weight at a time. */
function plainly(before: Float32Array, after: Float32Array) {
  const moved = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1].map((threshold) => {
    const t = Math.fround(threshold)
    return before.filter((w, i) => Math.abs(Math.fround(after[i] - w)) > Math.fround(t * Math.abs(w))).length
  })
  const norm = (values: (i: number) => number) => Math.sqrt(before.reduce((sum, _, i) => sum + values(i) ** 2, 0))
  return {
    moved: moved.map((count) => count / before.length),
    relativeNorm: norm((i) => Math.fround(after[i] - before[i])) / norm((i) => before[i]),
    largest: before.reduce((most, w, i) => Math.max(most, Math.abs(Math.fround(after[i] - w))), 0),
  }
}

describe('how far weights moved', () => {
  const { before, after } = pair()
  const [old, now] = [folderOf(tensorsOf(before)), folderOf(tensorsOf(after))]
  const found = weightChange(old, now)

  it('is counted as it is defined, in all and in every tensor', () => {
    const expected = plainly(before, after)
    expect(found.all.weights).toBe(before.length)
    expect(found.all.moved).toEqual(expected.moved)
    expect(found.all.relativeNorm).toBeCloseTo(expected.relativeNorm, 12)
    expect(found.all.largest).toBe(expected.largest)
    expect(found.thresholds[MAIN_THRESHOLD]).toBe(1e-3)
    const [left, right] = [tensorsOf(before), tensorsOf(after)]
    expect(found.tensors.map(({ name }) => name)).toEqual([...left.keys()])
    for (const { name, ...one } of found.tensors) {
      const tensor = plainly(left.get(name)!.data, right.get(name)!.data)
      expect(one.moved).toEqual(tensor.moved)
      expect(one.relativeNorm).toBeCloseTo(tensor.relativeNorm, 12)
    }
  })

  it('is told by layer and module, biases with their matrix', () => {
    expect(found.modules.map(({ module }) => module)).toEqual([
      ...['embedding', 'q', 'k', 'v', 'o', 'gate', 'up', 'down', 'norms'],
    ])
    expect(found.layers).toHaveLength(2)
    expect(found.cells).toHaveLength(2 * 8)
    const q = found.cells.find(({ layer, module }) => layer === 1 && module === 'q')!
    expect(q.weights).toBe(32 * 32 + 32)
    const sum = (parts: { weights: number }[]) => parts.reduce((total, { weights }) => total + weights, 0)
    expect(sum(found.modules)).toBe(found.all.weights)
    expect(sum(found.cells)).toBe(sum(found.layers))
  })

  it('is nothing between a model and itself, and everything from nothing', () => {
    expect(weightChange(old, old).all).toEqual({
      weights: before.length,
      moved: [0, 0, 0, 0, 0],
      relativeNorm: 0,
      largest: 0,
    })
    const nothing = folderOf(tensorsOf(new Float32Array(before.length)))
    const ones = folderOf(tensorsOf(new Float32Array(before.length).fill(1)))
    expect(weightChange(nothing, ones).all).toMatchObject({ moved: [1, 1, 1, 1, 1], relativeNorm: null, largest: 1 })
  })

  it.each<FloatType>(['F16', 'BF16'])('reads %s, whichever of the two it is', (dtype) => {
    const half = folderOf(tensorsOf(after), config, dtype)
    const rounded = dtype === 'BF16' ? fromBfloat16(toBfloat16(after)) : undefined
    const { all } = weightChange(old, half)
    if (rounded) expect(all.moved).toEqual(plainly(before, rounded).moved)
    expect(weightChange(half, half).all.largest).toBe(0)
    expect(all.relativeNorm).toBeCloseTo(found.all.relativeNorm!, 2)
  })

  it('reads weights in several files', () => {
    const shards = folderOf(tensorsOf(after))
    const tensors = [...tensorsOf(after)]
    const parts = [tensors.slice(0, 9), tensors.slice(9)]
    const map = parts.flatMap((part, i) => part.map(([name]) => [name, `part-${i}.safetensors`]))
    for (const [i, part] of parts.entries()) writeSafetensors(join(shards, `part-${i}.safetensors`), new Map(part))
    rmSync(join(shards, 'model.safetensors'))
    writeJson(join(shards, 'model.safetensors.index.json'), { weight_map: Object.fromEntries(map) })
    expect(weightChange(old, shards)).toEqual(found)
  })

  it('adds an adapter to its base', () => {
    const lora = { rank: 6, alpha: 12, targets: ['down_proj' as const] }
    const random = new Random('adapter')
    const matrix = (shape: number[]) => ({
      shape,
      data: Float32Array.from({ length: elements(shape) }, () => random.next()),
    })
    const added = tensorsOf(before.slice())
    const matrices = [0, 1].flatMap((layer) => {
      const module = `model.layers.${layer}.mlp.down_proj`
      const [a, b] = [matrix([6, 37]), matrix([32, 6])]
      const { data } = added.get(`${module}.weight`)!
      for (const i of data.keys()) {
        for (let r = 0; r < 6; r++) data[i] += 2 * b.data[Math.floor(i / 37) * 6 + r] * a.data[r * 37 + (i % 37)]
      }
      return [[`${module}.lora_A.weight`, a] as const, [`${module}.lora_B.weight`, b] as const]
    })
    const adapter = join(root, 'adapter')
    mkdirSync(adapter)
    writeAdapterFiles(adapter, { lora, base: old, baseHash: '' }, new Map(matrices))
    const [merged, whole] = [weightChange(old, adapter), weightChange(old, folderOf(added))]
    expect(merged.all.relativeNorm).toBeCloseTo(whole.all.relativeNorm!, 6)
    const moved = merged.modules.filter(({ largest }) => largest > 0)
    expect(moved.map(({ module }) => module)).toEqual(['down'])
    expect(moved[0].moved[MAIN_THRESHOLD]).toBeGreaterThan(0.99)
  })

  it('is refused between models of two shapes, and where a weight is not finite', () => {
    const other = tinyConfig({ model_type: 'qwen2', vocab_size: 3001, intermediate_size: 37, num_hidden_layers: 1 })
    const small = folderOf(tensorsOf(randomWeights(other, 1), other), other)
    expect(() => weightChange(old, small)).toThrow(
      `model.layers.1.input_layernorm.weight is 32 in ${old} and missing in ${small}: compare a model with one`,
    )
    const broken = after.slice()
    broken[5] = Number.NaN
    expect(() => weightChange(old, folderOf(tensorsOf(broken)))).toThrow(
      /^model\.embed_tokens\.weight of .* not finite/,
    )
    renameSync(join(small, 'model.safetensors'), join(small, 'gone'))
    expect(() => weightChange(small, small)).toThrow('has no model.safetensors')
  })

  it.skipIf(!refereeHas('numpy'))('is what NumPy says, in f32 and in bf16', async () => {
    for (const dtype of ['F32', 'BF16'] as const) {
      const folder = folderOf(tensorsOf(after), config, dtype)
      const files = [old, folder].map((path) => join(path, 'model.safetensors'))
      const answer = (await refereeAnswer('weight_change.py', ...files)) as Record<
        string,
        { moved: number[]; exact: number[]; relativeNorm: number; largest: number }
      >
      for (const { name, moved, relativeNorm, largest, weights } of weightChange(old, folder).tensors) {
        const theirs = answer[name]
        expect(moved).toEqual(theirs.moved)
        // In double precision hardly a weight falls on the other side of a threshold.
        for (const [i, share] of theirs.exact.entries()) expect(Math.abs(moved[i] - share) * weights).toBeLessThan(9)
        expect(Math.abs(relativeNorm! / theirs.relativeNorm - 1)).toBeLessThan(1e-6)
        expect(largest).toBe(theirs.largest)
      }
    }
  })
})
