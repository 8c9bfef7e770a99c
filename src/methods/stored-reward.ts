import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../agents/index.ts'
import { UserError } from '../core/index.ts'
import type { WorldModelReward } from '../rewards/index.ts'
import { chooseReward, type RewardOptions, readCollected } from '../stages/index.ts'
import { RunFolder } from '../store/index.ts'
import type { Given } from './parts.ts'
import { agentOfRun, configOf } from './stored-run.ts'

/** Environment and agent: where the run's were given in code. */
export interface StoredRewardOptions extends RewardOptions, Given {
  /** Notices. */
  warn(message: string): void
}

/**
 * The reward that a run trained its world model with, embedder and threshold included, and the agent that reads predictions.
 * @throws UserError where the run has not chosen one yet, or was given it in code
 */
export async function storedReward(
  path: string,
  { environment, agent: own, warn, ...options }: StoredRewardOptions,
): Promise<{ reward: WorldModelReward; agent: Agent }> {
  const run = RunFolder.open(path)
  const config = configOf(run)
  const { train } = readCollected(run)
  const agent = agentOfRun(run, config, train, { environment, agent: own })
  const { kind } = config.reward
  const isCalibrated = kind === 'embedding' || (kind === 'hybrid' && train.some(({ next }) => next.from !== 'tool'))
  if (isCalibrated && !existsSync(join(run.stageFolder('reward'), 'reward.json'))) {
    throw new UserError(`${path} has not chosen its reward yet: let the run go on (--resume)`)
  }
  const progress = { start() {}, update() {}, finish() {} }
  const { reward } = await chooseReward({ run, config, environment: {}, progress, warn }, train, options, false)
  return { reward, agent }
}
