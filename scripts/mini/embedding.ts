import { join } from 'node:path'
import { uniform } from '../../src/core/index.ts'
import { readSafetensors, writeSafetensors } from '../../src/store/index.ts'
import type { Tokenizer } from '../../src/tokens/index.ts'

const NAME = 'model.embed_tokens.weight'

/**
 * Before training, "drawer 3" starts as a mix of "drawer" and a vector for 3: so the model need not find out one by one,
 * for some eight hundred names, which of them are of one type. Only a start: every row is trained freely after it.
 */
export function composeEmbeddings(folder: string, tokenizer: Tokenizer, hiddenSize: number): void {
  const path = join(folder, 'model.safetensors')
  const { tensors, metadata } = readSafetensors(path)
  const table = tensors.get(NAME)
  if (!table) throw new Error(`${path} has no ${NAME}`)
  const row = (id: number) => table.data.subarray(id * hiddenSize, (id + 1) * hiddenSize)
  const scale = Math.sqrt(row(0).reduce((sum, value) => sum + value * value, 0) / hiddenSize)
  for (let id = 0; id < tokenizer.vocabularySize; id++) {
    const match = /^( [a-z]+) (\d+)$/.exec(tokenizer.decode([id]))
    const type = match ? tokenizer.tokenId(match[1]) : null
    if (!match || type === null) continue
    const [own, shared] = [row(id), row(type)]
    for (let i = 0; i < hiddenSize; i++) own[i] = 0.75 * shared[i] + 0.65 * scale * normal(Number(match[2]), i)
  }
  writeSafetensors(path, tensors, { metadata })
}

/** Standard normal, a pure function of number and dimension (Box–Muller). */
function normal(number: number, dimension: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - uniform('number', number, dimension)))
  return radius * Math.cos(2 * Math.PI * uniform('angle', number, dimension))
}
