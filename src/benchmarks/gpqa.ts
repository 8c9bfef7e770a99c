import { z } from 'zod'
import { Random } from '../core/index.ts'
import { type Benchmark, RIGHT } from './benchmark.ts'
import { type ChoiceStyle, choiceQuestion } from './choice.ts'
import { readRows } from './data/rows.ts'

const text = z.string().transform((value) => value.trim())
const rowSchema = z.object({
  Question: text,
  'Correct Answer': text,
  'Incorrect Answer 1': text,
  'Incorrect Answer 2': text,
  'Incorrect Answer 3': text,
  'Record ID': z.string().optional(),
})

export interface GpqaOptions {
  /** Default `letter`. */
  style?: ChoiceStyle
  /** Of the order of the options. Default 0. */
  seed?: number
}

/**
 * GPQA-Diamond (`gpqa_diamond.csv`). The file lists the right answer first, so options are put in an order that depends on the
 * seed and the question alone: the same for every model.
 */
export async function readGpqa(
  paths: readonly string[],
  { style = 'letter', seed = 0 }: GpqaOptions = {},
): Promise<Benchmark> {
  const rows = await readRows(paths, rowSchema)
  return {
    name: 'gpqa-diamond',
    title: 'GPQA-Diamond',
    questions: rows.map(({ value }, place) => {
      const id = value['Record ID'] || `${place}`
      const order = new Random('gpqa options', seed, id).shuffle([0, 1, 2, 3])
      const answers = [
        value['Correct Answer'],
        value['Incorrect Answer 1'],
        value['Incorrect Answer 2'],
        value['Incorrect Answer 3'],
      ]
      const options = order.map((at) => answers[at])
      return choiceQuestion({ id, question: value.Question, options, right: order.indexOf(0) }, style)
    }),
    measures: [RIGHT],
    temperature: 0,
    maxTokens: 2048,
    notes: [`options in an order of seed ${seed}`, `answered by ${style}`],
  }
}
