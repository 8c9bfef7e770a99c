import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../src/core/index.ts'
import { DOMAINS } from '../src/environments/tau2/domains.ts'
import { findTau2Folder } from '../src/environments/tau2/folder.ts'
import { tau2Environment } from '../src/environments/tau2/index.ts'
import { openDomain } from '../src/environments/tau2/opened.ts'
import { median } from './peers/part.ts'
import type { Row } from './row.ts'
import { callsPerSecond, recordedSequences, solutions } from './tau2/calls.ts'

const CONVERSATIONS = 5000
const TURNS = 8
const crowdSchema = z.object({ heap: z.number(), rss: z.number(), messages: z.number(), turnsPerSecond: z.number() })

/**
 * Speeds of τ²-bench on one core: tool calls, opening episodes, and what thousands of open conversations take. None without
 * upstream's data: it is looked for in `$TAU2_DATA_DIR`, then in the shared folder.
 */
export async function benchTau2(): Promise<Row[]> {
  const shared = process.env.RWML_SHARED ?? '../shared'
  process.env.TAU2_DATA_DIR ||= join(shared, 'data', 'tau2')
  try {
    findTau2Folder()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    console.error(`tau2 is left out: ${error.message}`)
    return []
  }
  return [...toolCalls(join(shared, 'oracle', 'tau2')), ...(await opening()), ...crowd()]
}

function toolCalls(recordings: string): Row[] {
  return ['retail', 'airline', 'telecom'].flatMap((name) => {
    const domain = openDomain(DOMAINS.get(name)!, join(findTau2Folder(), 'domains', name))
    const target = name === 'airline' ? undefined : '>= 20000'
    const kinds = {
      "tasks' own solutions": solutions(domain),
      'recorded random calls': recordedSequences(domain, recordings),
    }
    return Object.entries(kinds)
      .filter(([, sequences]) => sequences.length > 0)
      .map(([kind, sequences]) => ({
        name: `tau2 ${name} tool calls, ${kind}`,
        value: callsPerSecond(domain, sequences),
        unit: 'calls/s',
        target,
      }))
  })
}

/** The user's first words included. */
async function opening(): Promise<Row[]> {
  const rows: Row[] = []
  for (const name of ['retail', 'airline', 'telecom']) {
    const environment = tau2Environment({ domains: [name] })
    const tasks = environment.tasks('train')
    const times: number[] = []
    for (let round = 0; round < 10; round++) {
      for (const task of tasks) {
        const started = performance.now()
        await environment.open(task, { seed: round })
        times.push(performance.now() - started)
      }
    }
    const after = times.slice(1)
    rows.push({ name: `tau2 ${name} episode opened, the first`, ...milliseconds(times[0]) })
    rows.push({ name: `tau2 ${name} episode opened, later`, ...milliseconds(median(after)), target: '< 1' })
    const slow = after.sort((a, b) => a - b)[Math.floor(after.length * 0.99)]
    rows.push({ name: `tau2 ${name} episode opened, slowest of 100`, ...milliseconds(slow) })
  }
  return rows
}

const milliseconds = (value: number) => ({ value: Number(value.toFixed(3)), unit: 'ms' })

function crowd(): Row[] {
  const script = join(import.meta.dirname, 'tau2', 'crowd.ts')
  const options = ['--expose-gc', '--import', 'tsx', script, String(CONVERSATIONS), String(TURNS)]
  const printed = execFileSync(process.execPath, options, { encoding: 'utf8' })
  const { heap, rss, messages, turnsPerSecond } = crowdSchema.parse(JSON.parse(printed.trim().split('\n').at(-1)!))
  const name = `tau2 ${CONVERSATIONS.toLocaleString('en')} conversations open at once, ${TURNS} turns each`
  return [
    { name: `${name}: heap`, value: heap, unit: 'MB', target: '< 1024' },
    { name: `${name}: resident, Node included`, value: rss, unit: 'MB', target: '< 1024' },
    { name: `${name}: messages in each`, value: messages, unit: '' },
    { name: 'tau2 turns with the scripted user, opening included', value: turnsPerSecond, unit: 'turns/s' },
  ]
}
