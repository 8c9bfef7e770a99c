import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenedDomain } from '../../src/environments/tau2/opened.ts'
import { readArguments } from '../../src/environments/tau2/protocol/conversation.ts'
import { dumps, parseJson } from '../../src/environments/tau2/python/json.ts'
import type { PyDict } from '../../src/environments/tau2/python/value.ts'
import type { Party, Tau2Task } from '../../src/environments/tau2/tasks.ts'
import { median } from '../peers/part.ts'

/** Calls of one world, in order; arguments as text, as a model writes them. */
interface Sequence {
  task: Tau2Task
  calls: { party: Party; name: string; text: string }[]
}

/** Times of all sequences once; the first rounds only warm up. */
const ROUNDS = 15
const WARM_UP = 5
/** Calls in a round at least: a domain with few of its own is played several times. */
const CALLS = 5000

/** The solution that every task of the split comes with: reads and writes as they follow each other in a conversation. */
export function solutions({ tasks, splits }: OpenedDomain): Sequence[] {
  return (splits.get('base') ?? [...tasks.keys()]).map((id) => {
    const task = tasks.get(id)!
    const actions = task.criteria?.actions ?? []
    return { task, calls: actions.map(({ party, name, arguments: args }) => ({ party, name, text: dumps(args) })) }
  })
}

/** Recorded random calls of every tool, right and wrong ones; none where the recordings are not at hand. */
export function recordedSequences({ name, tasks }: OpenedDomain, folder: string): Sequence[] {
  const path = join(folder, `fuzz_${name}.json`)
  if (!existsSync(path)) return []
  const [first] = tasks.values()
  // Not read by JSON.parse: the numbers in arguments keep their own forms.
  const recording = parseJson(readFileSync(path, 'utf8')) as PyDict
  return (recording.get('sequences') as PyDict[]).map((one) => ({
    task: tasks.get(one.get('task_id') as string) ?? first,
    calls: (one.get('steps') as PyDict[]).map((step) => ({
      party: step.get('requestor') as Party,
      name: step.get('name') as string,
      text: dumps(step.get('arguments') as PyDict),
    })),
  }))
}

/**
 * Calls a second as a conversation makes them: the text of the arguments read, the tool run, both sides brought together, the
 * result written as text. Each world is new; opening it is measured elsewhere and not counted here. Median of rounds.
 */
export function callsPerSecond(domain: OpenedDomain, sequences: readonly Sequence[]): number {
  const calls = sequences.reduce((sum, one) => sum + one.calls.length, 0)
  const times = Math.max(1, Math.ceil(CALLS / calls))
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const worlds = Array.from({ length: times }, () =>
      sequences.map(({ task, calls }) => ({ world: domain.begin(task, false), calls })),
    ).flat()
    const started = performance.now()
    for (const { world, calls } of worlds) {
      for (const { party, name, text } of calls) {
        const args = readArguments(text)
        if (typeof args === 'string') throw new Error(`${name}: ${args}`)
        world.call(party, name, args)
        world.sync()
      }
    }
    if (round >= WARM_UP) rates.push((calls * times) / ((performance.now() - started) / 1000))
  }
  return Math.round(median(rates))
}
