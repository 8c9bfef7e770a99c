import { Random } from '../../src/core/index.ts'
import { pause, Subject, spin } from './process.ts'

/** What the subject is in, from its start to its end; `open` and `close` are what lies around the stages. */
export const STAGES = ['open', 'collect', 'reward', 'filter', 'world-model-rl', 'policy-rl', 'evaluate', 'close']

/**
 * Ways to be killed: at a moment; within a fraction of a millisecond or a few of the next write; with the whole process
 * group; stopped first, while a second process tries to get in; by a second kill while the first resume is still reading.
 */
export const KINDS = ['moment', 'write', 'group', 'stopped', 'twice'] as const
export type Kind = (typeof KINDS)[number]

/** Milliseconds each stage takes undisturbed. */
export type Profile = Record<string, number>

export interface Kill {
  kind: Kind
  /** Where it was meant to fall and how far into it, 0 to 1; and where it fell. */
  meant: string
  share: number
  fell: string
  /** What went wrong with a second process, if anything. */
  fault: string | null
}

/** An undisturbed run: how long each stage takes. */
export async function reference(out: string): Promise<Profile> {
  const subject = new Subject(out)
  const { status, stderr } = await subject.ending
  if (status !== 0) throw new Error(`the undisturbed run ended with ${status}: ${stderr}`)
  const ends = [...subject.marks.slice(1).map((mark) => mark.at), performance.now()]
  return Object.fromEntries(subject.marks.map(({ stage, at }, i) => [stage, ends[i] - at]))
}

/** Kills of one trial: one in each stage, at a moment drawn from the seed, and all kinds among them. */
export function plan(seed: number): Omit<Kill, 'fell' | 'fault'>[] {
  const random = new Random('kill', seed)
  const kinds = random.shuffle([...KINDS, ...KINDS]).slice(0, STAGES.length)
  const missing = KINDS.filter((kind) => !kinds.includes(kind))
  return STAGES.map((meant, i) => ({ meant, share: random.next(), kind: missing[i] ?? kinds[i] }))
}

/** Starts the run in `out`, kills it as planned, goes on, and so to the end. Says what fell where; `nodeOptions` go to node. */
export async function trial(seed: number, out: string, profile: Profile, nodeOptions: string[] = []): Promise<Kill[]> {
  const kills: Kill[] = []
  for (const { kind, meant, share } of plan(seed)) {
    const subject = new Subject(out, nodeOptions)
    await subject.begins(meant)
    // On a faster machine than the profile's, the stage may be over sooner: then the kill falls where the next one begins.
    await Promise.race([subject.leaves(meant), pause(share * profile[meant])])
    const fault = await kill(subject, kind, new Random('delay', seed, meant), out)
    const { signal, stderr, status, stages } = await subject.ending
    if (signal === null && status !== 0) throw new Error(`seed ${seed}: a resumed run failed: ${stderr}`)
    // Where it had ended by itself nobody was killed, and a second process had every right to be there.
    if (signal !== null) kills.push({ kind, meant, share, fell: stages[stages.length - 1], fault })
    if (kind === 'twice') {
      const again = new Subject(out, nodeOptions)
      await Promise.race([again.ending, pause(new Random('again', seed, meant).next() * 1.5 * profile.open)])
      again.signal('SIGKILL')
      const ending = await again.ending
      if (ending.signal !== null) {
        kills.push({ kind, meant, share, fell: ending.stages[ending.stages.length - 1], fault: null })
      }
    }
  }
  const { status, stderr } = await new Subject(out, nodeOptions).ending
  if (status !== 0) throw new Error(`seed ${seed}: the last resume failed: ${stderr}`)
  return kills
}

async function kill(subject: Subject, kind: Kind, random: Random, out: string): Promise<string | null> {
  let fault: string | null = null
  if (kind === 'write' && (await subject.writes(3000))) spin(random.next() ** 2 * 8)
  if (kind === 'stopped') {
    subject.signal('SIGSTOP')
    fault = subject.stage === 'open' || subject.stage === 'close' ? null : await intrude(subject, out)
    subject.signal('SIGCONT')
    await pause(random.next() * 50)
  }
  subject.signal('SIGKILL', kind === 'group')
  return fault
}

/** A second process in the same folder has to be refused, and to name the first. */
async function intrude(first: Subject, out: string): Promise<string | null> {
  if (first.hasEnded) return null
  const { status, stderr } = await new Subject(out).ending
  const lines = stderr.split('\n').filter((line) => line.startsWith('rwml: '))
  if (status === 1 && lines.length === 1 && lines[0].includes(`in use by process ${first.pid} on`)) return null
  return `a second process was not refused: exit ${status}, ${stderr.trim() || 'no word'}`
}
