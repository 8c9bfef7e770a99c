import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readIfevalBenchmark } from '../ifeval.ts'
import { resultOf } from '../result.ts'
import { readIfeval } from './dataset.ts'
import { checkInstructions, instructionKinds } from './instructions.ts'
import { packageFolder } from './text/packages.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const line = {
  key: 7,
  prompt: 'Write about lakes, without commas, in two sentences or more.',
  instruction_id_list: ['punctuation:no_comma', 'length_constraints:number_sentences'],
  kwargs: [{}, { relation: 'at least', num_sentences: 2 }],
}

function file(...lines: unknown[]): string {
  const path = join(folder, 'input_data.jsonl')
  writeFileSync(path, lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n'))
  return path
}

describe('readIfeval', () => {
  it('reads the published lines', () => {
    const [entry, ...others] = readIfeval(file(line, ''))
    expect(others).toEqual([])
    expect(entry).toMatchObject({ key: 7, prompt: line.prompt, instructionIds: line.instruction_id_list })
    expect(checkInstructions(entry, 'Lakes are deep. Dr. Lee swims, too.', { loose: false })).toEqual([false, true])
  })

  it('reads a table where every instruction has all columns', () => {
    const columns = { num_sentences: null, relation: null, keywords: null }
    const [{ kwargs, ...rest }] = readIfeval(
      file({ ...line, kwargs: line.kwargs.map((own) => ({ ...columns, ...own })) }),
    )
    expect(checkInstructions({ kwargs, ...rest }, 'One. Two.', { loose: false })).toEqual([true, true])
  })

  it('says in one line what is wrong', () => {
    const wrong = (...lines: unknown[]) => {
      const path = file(...lines)
      return () => readIfeval(path)
    }
    expect(() => readIfeval(join(folder, 'absent.jsonl'))).toThrow(/absent\.jsonl cannot be read \(ENOENT\)/)
    expect(wrong('')).toThrow(/has no prompts/)
    expect(wrong(line, '{')).toThrow(/line 2: not valid JSON/)
    expect(wrong({ ...line, prompt: 3 })).toThrow(/line 1: prompt must be text, not a number/)
    expect(wrong({ ...line, kwargs: [{}] })).toThrow(/line 1: there are 2 instructions, but kwargs of 1/)
    expect(wrong({ ...line, instruction_id_list: ['punctuation:no_comma', 'toString'] })).toThrow(
      /line 1: instruction "toString" is none of IFEval's/,
    )
    expect(wrong({ ...line, kwargs: [{}, { num_sentences: 2 }] })).toThrow(
      /line 1: length_constraints:number_sentences: relation must be one of "less than", "at least"/,
    )
    expect(wrong({ ...line, kwargs: [{ commas: 1 }, line.kwargs[1]] })).toThrow(/no_comma: commas is not known/)
  })
})

describe('checkInstructions', () => {
  const one = (id: string, kwargs: Record<string, unknown>, response: string, loose = false) =>
    checkInstructions({ instructionIds: [id], kwargs: [kwargs] }, response, { loose })[0]

  it('knows the 25 kinds', () => expect(new Set(instructionKinds).size).toBe(25))

  it('is loose about the first line, the last line and asterisks', () => {
    const response = 'Sure, here it is:\n"Lakes are **deep**"\nHope this helps, bye'
    for (const [id, kwargs] of [
      ['startend:quotation', {}],
      ['punctuation:no_comma', {}],
      ['startend:end_checker', { end_phrase: 'are deep' }],
    ] as const)
      expect([one(id, kwargs, response), one(id, kwargs, response, true)]).toEqual([false, true])
  })

  it('takes an empty response for none', () => {
    expect(one('punctuation:no_comma', {}, ' \n', true)).toBe(false)
    expect(one('punctuation:no_comma', {}, 'Sure,', true)).toBe(false)
  })

  it('counts what is no letter, where the reference counts a random one', () => {
    const tags = { letter: '#', let_frequency: 2, let_relation: 'at least' }
    expect(one('keywords:letter_frequency', tags, '#lake #deep')).toBe(true)
    expect(one('keywords:letter_frequency', tags, '#lake')).toBe(false)
  })

  it('takes a keyword that is no pattern for itself', () => {
    expect(one('keywords:existence', { keywords: ['(lake'] }, 'a (Lake)')).toBe(true)
  })

  it('never finds a paragraph after the last that was asked for', () => {
    const kwargs = { num_paragraphs: 1, nth_paragraph: 2, first_word: 'deep' }
    expect(one('length_constraints:nth_paragraph_first_word', kwargs, 'Lakes\n\ndeep')).toBe(false)
  })

  it('refuses a language that nobody could detect', () => {
    expect(() => one('language:response_language', { language: 'xx' }, 'Lakes')).toThrow(/language must be one of "af"/)
  })

  it('says which package is missing', () => {
    expect(() => packageFolder('langdetect', 'langdetect/absent.json')).toThrow(/npm install langdetect@\d/)
  })
})

describe('the benchmark', () => {
  it('measures shares of prompts and of instructions', async () => {
    const prompt = (key: number, ...ids: string[]) => ({
      ...line,
      key,
      instruction_id_list: ids,
      kwargs: ids.map(() => ({})),
    })
    const path = file(
      prompt(1, 'punctuation:no_comma', 'startend:quotation'),
      prompt(2, 'punctuation:no_comma'),
      prompt(3, 'punctuation:no_comma'),
    )
    const benchmark = await readIfevalBenchmark([path])
    const responses = ['Sure:\n"Lakes"', 'Lakes', 'Lakes, deep']
    const outcomes = benchmark.questions.map((question, i) => {
      if (question.kind !== 'reply') throw new Error('no reply')
      return { id: question.id, asked: 0, ...question.judge(responses[i]) }
    })
    expect(outcomes.map(({ answer }) => answer)).toEqual(['+-', '+', '-'])
    const { questions, measures } = resultOf(benchmark, outcomes)
    expect(questions).toBe(3)
    expect(measures.map(({ name, value }) => [name, value])).toEqual([
      ['prompts, strict', 1 / 3],
      ['prompts, loose', 2 / 3],
      ['instructions, strict', 2 / 4],
      ['instructions, loose', 3 / 4],
    ])
  })
})
