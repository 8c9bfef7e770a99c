import type { Tau2World } from '../environment.ts'
import { actionsMade } from '../evaluator/actions.ts'
import { communicated } from '../evaluator/communicate.ts'
import { goldWorld, predictedWorld } from '../evaluator/database.ts'
import { rewardOf } from '../evaluator/evaluate.ts'
import { dumps } from '../python/json.ts'
import type { PyValue } from '../python/value.ts'
import type { Assertion, Tau2Task } from '../tasks.ts'
import { expectEqual, type Tally } from './tally.ts'
import type { Sequence, TaskVector, Transcript } from './vectors.ts'
import { ComparedWorld, type LoadedDomain } from './world.ts'

/** Whether the data's task is the recorded one: older versions solve some tasks otherwise. */
export function isSameTask(task: Tau2Task, vector: TaskVector): boolean {
  const gold = (task.criteria?.actions ?? []).map((one): PyValue => [one.party, one.name, one.arguments])
  const steps = vector.steps.map((one): PyValue => [one.requestor, one.name, one.arguments])
  return dumps(gold, { sortKeys: true }) === dumps(steps, { sortKeys: true })
}

/** What a task's reward was made of in versions before it said so itself; telecom's tasks always have. */
const OLD_BASIS = 'DB COMMUNICATE'
const ONCE_UNSAID = ['retail', 'airline']

/** What a task's reward is made of: where the recorded version had not said and the data's does, they may differ. */
function checkBasis(domain: string, task: Tau2Task, vector: TaskVector, tally: Tally): void {
  const recorded = vector.reward_basis.join(' ')
  const basis = task.criteria?.basis.join(' ') ?? ''
  if (recorded !== basis && recorded === OLD_BASIS && ONCE_UNSAID.includes(domain)) tally.count('otherVersions')
  else expectEqual('reward_basis', recorded, basis)
}

/** Assertions as text, what they came to left aside. */
function assertionsText(assertions: readonly Assertion[]): string {
  const plain = assertions.map((one): PyValue => [one.party, one.name, one.arguments, one.expected])
  return dumps(plain, { sortKeys: true })
}

const hashesMatch = (a: Tau2World, b: Tau2World): boolean => a.hash() === b.hash() && a.userHash() === b.userHash()

/** A task: what counts, its beginning, its gold actions one by one, its assertions and the gold world. */
export function checkTask(loaded: LoadedDomain, task: Tau2Task, vector: TaskVector, tally: Tally): void {
  checkBasis(loaded.domain.name, task, vector, tally)
  const assertions = vector.env_assertions.map(({ env_type, func_name, arguments: args, assert_value }) => ({
    party: env_type,
    name: func_name,
    arguments: args,
    expected: assert_value,
    message: null,
  }))
  expectEqual('env_assertions', assertionsText(assertions), assertionsText(task.criteria?.assertions ?? []))
  const compared = new ComparedWorld(loaded, task)
  compared.state('init', vector.init, true)
  compared.steps(vector.steps, tally)
  compared.state('live_final', vector.live_final)
  const { world } = compared
  const gold = goldWorld(loaded.domain, loaded.data, task)
  expectEqual('gold_env: db_hash', vector.gold_env.db_hash, gold.world.hash())
  expectEqual('gold_env: user_db_hash', vector.gold_env.user_db_hash, gold.world.userHash())
  expectEqual('gold_env: errors', vector.gold_env.errors.join('\n'), gold.errors.join('\n'))
  // The fast comparison, which training uses, must say the same as the hashes.
  expectEqual('comparison without hashes', hashesMatch(world, gold.world), world.sameAs(gold.world))
  assertions.forEach((assertion, index) => {
    const { met } = vector.env_assertions[index]
    expectEqual(
      `assertion ${assertion.name}`,
      met,
      tally.timed(() => world.holds(assertion)),
    )
  })
}

/** A sequence of calls: every answer, and what they changed. */
export function checkSequence(
  loaded: LoadedDomain,
  task: Tau2Task | undefined,
  sequence: Sequence,
  tally: Tally,
): void {
  const compared = new ComparedWorld(loaded, task)
  compared.steps(sequence.steps, tally)
  const { final_db_hash: db_hash, final_user_db_hash: user_db_hash, db_diff, user_db_diff } = sequence
  compared.state('final', { db_hash, user_db_hash, db_diff, user_db_diff })
}

/**
 * Whether a transcript's task asked for other information than the data's. Another number of entries shows it. So does
 * information recorded as untold, and the whole as not rewarded, that stands letter for letter in a message: without a
 * comma, which upstream takes out of messages, it would have been found.
 */
function isOtherInformation(
  information: readonly string[],
  told: readonly boolean[],
  { communicate_met: met, assistant_texts, recorded_reward }: Transcript,
): boolean {
  if (!met) return false
  if (met.length !== told.length) return true
  const isSame = met.every((one, index) => one === told[index])
  if (isSame || recorded_reward !== 0) return false
  return information.every((one, index) => {
    if (met[index] === told[index]) return true
    return !met[index] && !one.includes(',') && assistant_texts.some((text) => text.includes(one))
  })
}

/**
 * A part of a judgement, entry by entry, and what that makes.
 * @param isOther the entries are of another version of the task: they are only to agree with their own reward
 */
function checkPart(
  name: { met: string; reward: string },
  recorded: { met: readonly boolean[] | null; reward: number | null },
  got: readonly boolean[],
  isOther: boolean,
  tally: Tally,
): void {
  if (recorded.met && !isOther) expectEqual(name.met, String(recorded.met), String(got))
  const met = recorded.met ?? (isOther ? null : got)
  if (met && recorded.reward !== null) expectEqual(name.reward, recorded.reward, rewardOf(met))
  if (isOther) tally.count('otherVersions')
}

/** A transcript: every answer, the last state, and how it is judged. */
export function checkTranscript(
  loaded: LoadedDomain,
  task: Tau2Task | undefined,
  transcript: Transcript,
  tally: Tally,
): void {
  const compared = new ComparedWorld(loaded, task)
  compared.steps(transcript.steps, tally)
  const { world } = compared
  expectEqual('final_db_hash', transcript.final_db_hash, world.hash())
  if (!task) return
  const calls = transcript.steps.map(({ requestor, name, arguments: args, content }) => ({
    party: requestor,
    name,
    arguments: args,
    content,
  }))
  const predicted = predictedWorld(loaded.domain, loaded.data, task, calls)
  expectEqual('database from its changing calls alone', transcript.final_db_hash, predicted.hash())
  const gold = goldWorld(loaded.domain, loaded.data, task).world
  const isMatch = hashesMatch(world, gold)
  expectEqual('comparison without hashes', isMatch, predicted.sameAs(gold))
  // Without a match the recording says that its gold actions were others; they may still be made alike.
  const isOtherGold = transcript.db_match === null
  if (isOtherGold) tally.count('otherVersions')
  else expectEqual('db_match', transcript.db_match, isMatch)
  const { actions = [], communicate = [] } = task.criteria ?? {}
  const { action_matches, action_reward, communicate_met, communicate_reward } = transcript
  const made = actionsMade(actions, calls)
  checkPart(
    { met: 'action_matches', reward: 'action_reward' },
    { met: action_matches, reward: action_reward },
    made,
    isOtherGold && String(action_matches) !== String(made),
    tally,
  )
  const told = communicated(communicate, transcript.assistant_texts)
  checkPart(
    { met: 'communicate_met', reward: 'communicate_reward' },
    { met: communicate_met, reward: communicate_reward },
    told,
    isOtherInformation(communicate, told, transcript),
    tally,
  )
}
