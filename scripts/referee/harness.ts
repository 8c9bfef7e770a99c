/**
 * `npx tsx scripts/referee/harness.ts [MODEL]`: the same 20 questions answered through `rwml serve` by EleutherAI's
 * lm-evaluation-harness (`RWML_PYTHON`, or what `npm run referees` made; `lm_eval[api]` has to be in it) and by our own
 * benchmarks, question by question. Says where they differ, and ends with status 1 where they do.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Benchmark,
  choiceQuestion,
  finalNumber,
  judged,
  outcomeSchema,
  RIGHT,
  runBenchmark,
  sameNumber,
} from '../../src/benchmarks/index.ts'
import { refereePython } from '../../src/core/testing/python.ts'
import { openLocalEngine } from '../../src/engines/index.ts'
import { startServer } from '../../src/serving/index.ts'
import { readLines } from '../../src/store/index.ts'
import { loadChatFormat } from '../../src/tokens/index.ts'
import { CHOICES, NUMBERS } from './harness/questions.ts'

const THREADS = 2
/** As the harness's task has it. */
const MAX_TOKENS = 40

const model = process.argv[2] ?? 'models/mini'
const folder = mkdtempSync(join(tmpdir(), 'rwml-harness-'))
const format = loadChatFormat(model)

const common = { measures: [RIGHT] as [typeof RIGHT], temperature: 0, maxTokens: MAX_TOKENS, notes: [] }
const choices = (name: string, style: 'letter' | 'option'): Benchmark => ({
  ...common,
  name,
  title: name,
  questions: CHOICES.map((one, index) => choiceQuestion({ id: `${index}`, ...one }, style)),
})
const replies: Benchmark = {
  ...common,
  name: 'reply',
  title: 'reply',
  questions: NUMBERS.map(({ question, answer }, index) => ({
    id: `${index}`,
    kind: 'reply',
    messages: [{ role: 'user', content: question }],
    judge(reply) {
      const given = finalNumber(reply)
      return judged(given, given !== null && sameNumber(given, answer))
    },
  })),
}

/** The questions as the harness gets them: prompts already rendered. */
function writeItems(benchmark: Benchmark): void {
  const items = benchmark.questions.map((question, index) => ({
    prompt: format.promptText(question.messages),
    ...(question.kind === 'choice'
      ? { options: question.options, right: question.right }
      : { answer: NUMBERS[index].answer }),
  }))
  writeFileSync(join(folder, `${kindOf(benchmark)}.jsonl`), items.map((one) => `${JSON.stringify(one)}\n`).join(''))
}
const kindOf = ({ questions: [first] }: Benchmark) => first.kind

interface HarnessSample {
  doc_id: number
  filtered_resps: unknown[]
  resps: unknown[]
  acc?: number
  acc_norm?: number
  exact_match?: number
}

/** One task, through the server; what it writes goes into `out`. */
async function harness(task: string, out: string, url: string, name: string): Promise<HarnessSample[]> {
  const args = [
    ...['-m', 'lm_eval', '--model', 'local-completions', '--tasks', task, '--include_path', folder],
    ...['--model_args', `model=${name},base_url=${url}/v1/completions,max_length=1024,num_concurrent=4`],
    ...['--output_path', out, '--log_samples'],
  ]
  const status = await new Promise<number | null>((resolve) => {
    const child = spawn(refereePython(), args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      // The items are files here: nothing is to be fetched.
      env: {
        ...process.env,
        HF_DATASETS_OFFLINE: '1',
        HF_HUB_OFFLINE: '1',
        HF_HOME: join(folder, 'hf'),
        LMEVAL_LOG_LEVEL: 'ERROR',
      },
    })
    child.on('close', resolve)
  })
  if (status !== 0) throw new Error(`lm_eval ended with ${status}`)
  const file = readdirSync(out, { recursive: true, encoding: 'utf8' }).find((path) => path.includes(`samples_${task}`))
  if (!file) throw new Error('lm_eval wrote no samples')
  return readFileSync(join(out, file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as HarnessSample)
    .sort((a, b) => a.doc_id - b.doc_id)
}

const engine = await openLocalEngine(model, { threads: THREADS, frozen: true })
const server = await startServer({ folder: model, port: 0, threads: THREADS })
let differences = 0
try {
  for (const task of ['rwml_choice', 'rwml_reply']) {
    copyFileSync(join(import.meta.dirname, 'harness', `${task}.yaml`), join(folder, `${task}.yaml`))
  }
  for (const benchmark of [choices('letter', 'letter'), choices('option', 'option'), replies]) {
    writeItems(benchmark)
    const task = `rwml_${kindOf(benchmark)}`
    const theirs = await harness(task, join(folder, `theirs-${benchmark.name}`), server.url, server.names[0])
    const path = join(folder, `ours-${benchmark.name}.jsonl`)
    const { measures } = await runBenchmark(benchmark, { sampler: engine.trainer().sampler(), format, path })
    const ours = readLines(path, outcomeSchema)
    let largest = 0
    const theirScore = (one: HarnessSample) =>
      (benchmark.name === 'option' ? one.acc_norm : (one.acc ?? one.exact_match)) ?? 0
    for (const [index, one] of ours.entries()) {
      const same = theirScore(theirs[index]) === one.scores?.right[0]
      if (!same) differences++
      if (one.reply !== undefined) {
        const text = String((theirs[index].resps[0] as string[])[0])
        if (text !== one.reply)
          console.log(`question ${index}: ${JSON.stringify(text)} there, ${JSON.stringify(one.reply)} here`)
      } else {
        const logprobs = theirs[index].resps.map((resp) => Number((resp as [[string, string]])[0][0]))
        const lengths = CHOICES[index].options.map((option) => (benchmark.name === 'option' ? option.length : 1))
        // The harness counts the line break before the answer to the answer: the same for all options of a question.
        const shift = logprobs[0] - (one.logprobs as number[])[0] * lengths[0]
        for (const [at, logprob] of logprobs.entries()) {
          largest = Math.max(largest, Math.abs(logprob - (one.logprobs as number[])[at] * lengths[at] - shift))
        }
      }
    }
    const score = theirs.reduce((sum, one) => sum + theirScore(one), 0) / theirs.length
    console.log(
      `${benchmark.name}: harness ${score.toFixed(4)}, here ${measures[0].value?.toFixed(4)} of ${ours.length}` +
        (kindOf(benchmark) === 'choice' ? `, largest difference of a log-probability ${largest.toExponential(1)}` : ''),
    )
  }
} finally {
  await server.close()
  await engine.close()
  rmSync(folder, { recursive: true, force: true })
}
if (differences > 0) {
  console.error(`${differences} questions are judged differently`)
  process.exitCode = 1
}
