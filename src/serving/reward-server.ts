import { REWARD_LIMITS } from './limits.ts'
import { listen } from './listener.ts'
import { createRewardApp, OpenRequests, type RewardService } from './rewards.ts'

export interface RewardServerOptions extends Omit<RewardService, 'log'> {
  /** 0 = any free one. */
  port: number
  /** One line for every request that was answered or refused. */
  log?(line: string): void
}

export interface RewardServer {
  /** Where it listens, without `/v1/rewards`. */
  url: string
  /** Requests being scored. */
  openRequests(): number
  /** Refuses new requests, and waits a while for open ones. @returns whether none was cut off */
  close(): Promise<boolean>
}

/** Answer a Python trainer's requests for rewards, on this machine only. @throws UserError (port in use) */
export async function startRewardServer({
  port,
  log = () => {},
  ...service
}: RewardServerOptions): Promise<RewardServer> {
  const open = new OpenRequests()
  const listener = await listen(createRewardApp({ ...service, log }, open), port)
  return {
    url: listener.url,
    openRequests: () => open.count,
    async close() {
      const late = new Promise((resolve) => setTimeout(resolve, REWARD_LIMITS.closingTime).unref())
      await listener.close(Promise.race([open.ended(), late]))
      return open.count === 0
    },
  }
}
