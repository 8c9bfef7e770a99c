import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { parseCsv } from './data/csv.ts'
import { readParquet } from './data/parquet.ts'
import { readBenchmarks } from './folder.ts'
import { rightOption } from './mmlu-redux.ts'
import { PARQUET } from './testing/parquet.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function folderOf(files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'rwml-benchmarks-'))
  folders.push(folder)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

const lines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const redux = { question: 'Which?', choices: ['p', 'q', 'r', 's'], answer: 1, error_type: 'ok', correct_answer: null }
const FILES = {
  'mmlu-redux-2.0/anatomy/test.jsonl': lines(
    redux,
    { ...redux, error_type: 'wrong_groundtruth', correct_answer: 'C' },
    { ...redux, error_type: 'wrong_groundtruth', correct_answer: 'unsure' },
    { ...redux, error_type: 'bad_question_clarity' },
  ),
  'gpqa_diamond.csv':
    'Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3\nrec1,"Say ""4"",\nplease",4 ,3,5,6\n',
  'gpqa_main.csv': 'x\n1\n',
  'gsm8k/main/test.jsonl': lines({ question: 'How many?', answer: '1+1=2\n#### 2' }),
  'gsm8k/main/train.jsonl': 'not read',
  'MATH-500/test.json': JSON.stringify([{ problem: 'Half?', solution: '', answer: '\\frac12', unique_id: 'a/1' }]),
  'IFEval/input_data.jsonl': lines({
    key: 7,
    prompt: 'No commas.',
    instruction_id_list: ['punctuation:no_comma'],
    kwargs: [{}],
  }),
  'README.md': 'no data',
}

describe('published files', () => {
  it('are found by their names and read in their formats', async () => {
    const benchmarks = await readBenchmarks(folderOf(FILES))
    expect(benchmarks.map(({ name, questions }) => [name, questions.map(({ id }) => id)])).toEqual([
      ['mmlu-redux', ['anatomy-0', 'anatomy-1']],
      ['gpqa-diamond', ['rec1']],
      ['gsm8k', ['0']],
      ['math-500', ['a/1']],
      ['ifeval', ['7']],
    ])
    const [mmlu, gpqa, gsm8k, math, ifeval] = benchmarks.map(({ questions }) => questions[questions.length - 1])
    if (mmlu.kind !== 'choice' || gpqa.kind !== 'choice') throw new Error('not by letter')
    expect([mmlu.right, mmlu.options]).toEqual([2, ['A', 'B', 'C', 'D']])
    expect(mmlu.messages[0].content).toContain('Which?\n\nA. p\nB. q\nC. r\nD. s\n')
    expect(gpqa.messages[0].content).toContain('Say "4",\nplease')
    expect(gpqa.messages[0].content).toContain(`${gpqa.options[gpqa.right]}. 4\n`)
    for (const [question, right, wrong] of [
      [gsm8k, '#### 2', '#### 3'],
      [math, 'so \\boxed{0.5}', '\\boxed{2}'],
      [ifeval, 'Hello there', 'Hello, there'],
    ] as const) {
      if (question.kind !== 'reply') throw new Error('no reply')
      expect(Object.values(question.judge(right).scores)[0]).toEqual([1, 1])
      expect(Object.values(question.judge(wrong).scores)[0]).toEqual([0, 1])
    }
  })

  it('give the same sample and the same order of options whenever they are read', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => ({ question: `${index}?`, answer: `#### ${index}` }))
    const folder = folderOf({ ...FILES, 'gsm8k/main/test.jsonl': lines(...rows) })
    const read = async (seed: number) =>
      (await readBenchmarks(folder, { only: ['gsm8k', 'gpqa-diamond'], limit: 5, seed })).map(({ questions }) =>
        JSON.stringify(questions),
      )
    expect(await read(1)).toEqual(await read(1))
    expect((await read(1))[1]).not.toEqual((await read(2))[1])
    expect(JSON.parse((await read(1))[1])).toHaveLength(5)
  })

  it('have questions of different names where a set is in several files', async () => {
    const row = (answer: number) => lines({ question: 'How many?', answer: `#### ${answer}` })
    const folder = folderOf({ 'gsm8k/test-0.jsonl': row(1) + row(2), 'gsm8k/test-1.jsonl': row(3) })
    const [{ questions }] = await readBenchmarks(folder)
    expect(questions.map(({ id }) => id)).toEqual(['0', '1', '2'])
  })

  it.each([
    ['gsm8k.jsonl', '{"question": 1}\n', /gsm8k.jsonl, row 1: question must be text, not a number/],
    ['gsm8k.jsonl', '{"question": "Why?", "answer": "because"}\n', /row 1: answer must end with "#### " and a number/],
    ['gsm8k.jsonl', '{"question"\n', /gsm8k.jsonl, line 1 is not valid JSON/],
    ['gsm8k.jsonl', '', /gsm8k.jsonl has no rows/],
    ['gsm8k.parquet', 'PAR0', /gsm8k.parquet cannot be read as Parquet/],
    ['gpqa_diamond.csv', 'Question,Correct Answer\n"open', /gpqa_diamond.csv, row 1: a quote is never closed/],
    ['gpqa_diamond.csv', 'Question,Correct Answer\nq,a,b\n', /row 1: 3 fields, but 2 columns/],
    ['math_500.json', '{}', /math_500.json must hold a list of rows/],
    ['math_500.jsonl', '{"problem": "p", "solution": "none"}', /row 1: no answer, and none boxed/],
    ['other.jsonl', '{}', /has no files of mmlu-redux, gpqa-diamond/],
  ])('that are wrong are one clear line: %s %j', async (name, content, message) => {
    await expect(readBenchmarks(folderOf({ [name]: content }))).rejects.toThrow(message)
  })

  it('that were asked for by name have to be there', async () => {
    await expect(readBenchmarks(folderOf(FILES), { only: ['mmlu'] })).rejects.toThrow(/no benchmark is called "mmlu"/)
    await expect(readBenchmarks(folderOf({}), { only: ['gsm8k'] })).rejects.toThrow(/no files of gsm8k/)
    await expect(readBenchmarks('nowhere')).rejects.toThrow(/nowhere is no folder/)
  })

  it('are also read from Parquet', async () => {
    const path = join(folderOf({ 'gsm8k.parquet': Buffer.from(PARQUET, 'base64') }), 'gsm8k.parquet')
    expect(await readParquet(path)).toEqual([
      { question: 'Which?', choices: ['p', 'q'], answer: 1 },
      { question: 'Why, é?', choices: ['r', 's'], answer: 0 },
    ])
  })
})

describe('MMLU-Redux', () => {
  const right = (
    correct_answer: string | number | null,
    choices = ['p', 'q', 'r', 's'],
    error_type = 'wrong_groundtruth',
  ) => rightOption({ question: 'Which?', choices, answer: 1, error_type, correct_answer })

  it('takes a corrected key by place, letter or text, where that is one option', () => {
    expect([right('2'), right(2), right('C'), right('r'), right(' s ')]).toEqual([2, 2, 2, 2, 3])
    expect([right(null), right('C and D'), right('7'), right('E')]).toEqual([null, null, null, null])
    expect(right('2', ['0', '2', '1', '5'])).toBe(null)
    expect([right('0', undefined, 'ok'), right('0', undefined, 'no_correct_answer')]).toEqual([1, null])
  })
})

describe('comma-separated values', () => {
  it('may be quoted, hold line breaks, and end any way', () => {
    expect(parseCsv('\uFEFFa,b\r\n1,"x ""y"",\r\nz"\r\n,\n', 'f')).toEqual([
      { a: '1', b: 'x "y",\r\nz' },
      { a: '', b: '' },
    ])
    expect(parseCsv('a\n"1"', 'f')).toEqual([{ a: '1' }])
  })
})
