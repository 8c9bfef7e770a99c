import { actionsMade } from '../evaluator/actions.ts'
import { communicated } from '../evaluator/communicate.ts'
import { goldWorld, predictedWorld } from '../evaluator/database.ts'
import { dumps } from '../python/json.ts'
import type { PyValue } from '../python/value.ts'
import type { Tau2Task } from '../tasks.ts'
import { expectEqual, type Tally } from './tally.ts'
import type { Sequence, TaskVector, Transcript } from './vectors.ts'
import { ComparedWorld, type LoadedDomain } from './world.ts'

/** Whether the data's task is the recorded one: older versions solve some tasks otherwise. */
export function isSameTask(task: Tau2Task, vector: TaskVector): boolean {
  const gold = (task.criteria?.actions ?? []).map((one): PyValue => [one.party, one.name, one.arguments])
  const steps = vector.steps.map((one): PyValue => [one.requestor, one.name, one.arguments])
  return dumps(gold, { sortKeys: true }) === dumps(steps, { sortKeys: true })
}

/** What every task's reward is made of in versions before tasks said so themselves. */
const OLD_BASIS = 'DB COMMUNICATE'

const basisOf = (task: Tau2Task): string => task.criteria?.basis.join(' ') ?? ''

/**
 * Whether recorded tasks are of a version in which no task said what its reward is made of, and the data's do: then
 * all else is still to be the same.
 */
export function areOlder(tasks: ReadonlyMap<string, Tau2Task>, vectors: readonly TaskVector[]): boolean {
  if (!vectors.every(({ reward_basis }) => reward_basis.join(' ') === OLD_BASIS)) return false
  return vectors.some(({ id }) => {
    const task = tasks.get(id)
    return task !== undefined && basisOf(task) !== OLD_BASIS
  })
}

/**
 * A task: its beginning, its gold actions one by one, its assertions, the gold world and what counts.
 * @param older leave out what its reward is made of
 */
export function checkTask(
  loaded: LoadedDomain,
  task: Tau2Task,
  vector: TaskVector,
  older: boolean,
  tally: Tally,
): void {
  if (!older) expectEqual('reward_basis', vector.reward_basis.join(' '), basisOf(task))
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
  const isSame = world.hash() === gold.world.hash() && world.userHash() === gold.world.userHash()
  expectEqual('comparison without hashes', isSame, world.sameAs(gold.world))
  vector.env_assertions.forEach(({ env_type, func_name, arguments: args, assert_value, met }) => {
    const assertion = { party: env_type, name: func_name, arguments: args, expected: assert_value, message: null }
    expectEqual(
      `assertion ${func_name}`,
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

const reward = (met: readonly boolean[]): number => (met.every(Boolean) ? 1 : 0)

/**
 * Whether transcripts were judged by the data's tasks. Their own version may tell other things to communicate, which
 * the recordings do not show: where any of a file has another number of them, or was not comparable, none is taken to.
 */
export function isSameVersion(tasks: ReadonlyMap<string, Tau2Task>, transcripts: readonly Transcript[]): boolean {
  return transcripts.every(({ task_id, db_match, communicate_met, action_matches }) => {
    const criteria = task_id === null ? null : tasks.get(task_id)?.criteria
    if (!criteria) return true
    if (db_match === null) return false
    if (communicate_met && communicate_met.length !== criteria.communicate.length) return false
    return !action_matches || action_matches.length === criteria.actions.length
  })
}

/**
 * A transcript: every answer, the last state, and how it is judged.
 * @param sameVersion whether what to communicate is that of the data's task
 */
export function checkTranscript(
  loaded: LoadedDomain,
  task: Tau2Task | undefined,
  transcript: Transcript,
  sameVersion: boolean,
  tally: Tally,
): void {
  const compared = new ComparedWorld(loaded, task)
  compared.steps(transcript.steps, tally)
  const { world } = compared
  expectEqual('final_db_hash', transcript.final_db_hash, world.hash())
  if (!task || transcript.db_match === null) return
  const calls = transcript.steps.map(({ requestor, name, arguments: args, content }) => ({
    party: requestor,
    name,
    arguments: args,
    content,
  }))
  const predicted = predictedWorld(loaded.domain, loaded.data, task, calls)
  expectEqual('database from its changing calls alone', transcript.final_db_hash, predicted.hash())
  const gold = goldWorld(loaded.domain, loaded.data, task).world
  const isMatch = gold.hash() === world.hash() && gold.userHash() === world.userHash()
  expectEqual('comparison without hashes', isMatch, predicted.sameAs(gold))
  expectEqual('db_match', transcript.db_match, isMatch)
  const made = actionsMade(task.criteria?.actions ?? [], calls)
  if (transcript.action_matches) expectEqual('action_matches', String(transcript.action_matches), String(made))
  if (transcript.action_reward !== null) expectEqual('action_reward', transcript.action_reward, reward(made))
  if (!sameVersion) return
  const told = communicated(task.criteria?.communicate ?? [], transcript.assistant_texts)
  if (transcript.communicate_met) expectEqual('communicate_met', String(transcript.communicate_met), String(told))
  if (transcript.communicate_reward !== null) {
    expectEqual('communicate_reward', transcript.communicate_reward, reward(told))
  }
}
