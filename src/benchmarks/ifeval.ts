import { UserError } from '../core/index.ts'
import type { Benchmark, Score } from './benchmark.ts'
import { readIfeval } from './ifeval/dataset.ts'
import { checkInstructions } from './ifeval/instructions.ts'

/** IFEval: prompts whose instructions a program can check. Compared by prompts all of whose instructions are followed, strictly. */
export async function readIfevalBenchmark(paths: readonly string[]): Promise<Benchmark> {
  const entries = paths.flatMap((path) => readIfeval(path))
  const repeated = entries.find(({ key }, index) => entries.findIndex((other) => other.key === key) < index)
  if (repeated) throw new UserError(`IFEval's prompt ${repeated.key} is there twice: ${paths.join(', ')}`)
  const share = (name: string) => ({ name, unit: 'share', better: 'up' }) as const
  return {
    name: 'ifeval',
    title: 'IFEval',
    questions: entries.map((entry) => ({
      id: `${entry.key}`,
      kind: 'reply',
      messages: [{ role: 'user', content: entry.prompt }],
      judge(reply) {
        const strict = checkInstructions(entry, reply, { loose: false })
        const loose = checkInstructions(entry, reply, { loose: true })
        const all = (verdicts: boolean[]): Score => [verdicts.every(Boolean) ? 1 : 0, 1]
        const each = (verdicts: boolean[]): Score => [verdicts.filter(Boolean).length, verdicts.length]
        return {
          answer: strict.map((followed) => (followed ? '+' : '-')).join(''),
          scores: {
            'prompts, strict': all(strict),
            'prompts, loose': all(loose),
            'instructions, strict': each(strict),
            'instructions, loose': each(loose),
          },
        }
      },
    })),
    measures: [
      share('prompts, strict'),
      share('prompts, loose'),
      share('instructions, strict'),
      share('instructions, loose'),
    ],
    temperature: 0,
    maxTokens: 1280,
    notes: ['checked by rules, strictly and loosely'],
  }
}
