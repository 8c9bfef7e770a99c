import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../../../core/index.ts'
import { GraphBuilder } from '../../../engines/local/onnx/index.ts'

export const WORDS = [
  '[UNK]',
  '[CLS]',
  '[SEP]',
  ...'the fridge 1 is closed . you see a mug and 2 nothing happens'.split(' '),
]
const WIDTH = 8

/** The row of each word, and what a `[CLS]` or `[SEP]` adds to a text. */
export const TABLE = Float32Array.from({ length: WORDS.length * WIDTH }, (_, i) => new Random('tiny', i).next() - 0.5)

export const rowOf = (word: string): Float32Array => {
  const at = Math.max(0, WORDS.indexOf(word))
  return TABLE.slice(at * WIDTH, (at + 1) * WIDTH)
}

export interface TinyOptions {
  output?: string
  inputs?: string[]
  integers?: 'int64' | 'int32'
  /** Files beside the graph: names with what is in them, as JSON. */
  files?: Record<string, unknown>
}

/** A folder with an encoder that looks every word up in a table, and sees none beside it. */
export function tinyEncoder({
  output = 'last_hidden_state',
  inputs,
  integers = 'int64',
  files = {},
}: TinyOptions = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'rwml-encoder-'))
  const graph = new GraphBuilder('encoder')
  const names = inputs ?? ['input_ids', 'attention_mask', 'token_type_ids']
  const [ids] = names.map((name) => graph.input(name, integers, ['batch', 'length']))
  const table = graph.initializer('table', TABLE, [WORDS.length, WIDTH])
  const rows = graph.node('Gather', [table, ids], { axis: 0 })
  if (output === 'sentence_embedding') {
    const first = graph.node('Gather', [rows, graph.constant(BigInt64Array.of(1n), [])], { axis: 1 })
    graph.output('last_hidden_state', rows, 'float32', ['batch', 'length', WIDTH])
    graph.output(output, first, 'float32', ['batch', WIDTH])
  } else graph.output(output, rows, 'float32', ['batch', 'length', WIDTH])
  writeFileSync(join(folder, 'model.onnx'), graph.build())
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } })
  const all: Record<string, unknown> = {
    'tokenizer.json': {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: ['[UNK]', '[CLS]', '[SEP]'].map((content, id) => ({
        id,
        content,
        special: true,
        normalized: false,
      })),
      normalizer: { type: 'Lowercase' },
      pre_tokenizer: { type: 'Whitespace' },
      post_processor: {
        type: 'TemplateProcessing',
        single: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]')],
        pair: [],
        special_tokens: Object.fromEntries(
          ['[CLS]', '[SEP]'].map((id, at) => [id, { id, ids: [at + 1], tokens: [id] }]),
        ),
      },
      decoder: null,
      model: { type: 'WordLevel', vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])), unk_token: '[UNK]' },
    },
    ...files,
  }
  for (const [name, value] of Object.entries(all)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), JSON.stringify(value))
  }
  return folder
}
