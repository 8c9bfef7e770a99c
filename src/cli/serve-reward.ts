import { Command, Option } from 'commander'
import { transcriptAgent } from '../agents/index.ts'
import { UserError } from '../core/index.ts'
import { storedReward } from '../methods/index.ts'
import { exactReward, jsonReward, rougeReward } from '../rewards/index.ts'
import { keyIn } from '../services/index.ts'
import { startRewardServer } from '../serving/index.ts'
import { loadExperiment } from './experiment-file.ts'
import { INTERRUPTED_STATUS } from './interrupt.ts'
import { wholeNumber } from './numbers.ts'
import { pathName } from './paths.ts'
import { KEY_VARIABLE } from './serve-key.ts'
import { untilStopped } from './until-stopped.ts'

interface Options {
  reward?: keyof typeof REWARDS
  experiment?: string
  port: number
  json: boolean
}

/** Rewards that need nothing from a run. */
const REWARDS = { exact: exactReward, rouge: rougeReward, json: () => jsonReward(rougeReward()) }

/** `rwml serve reward RUN`: the run's reward for a trainer in Python. */
export function serveRewardCommand(): Command {
  return new Command('reward')
    .description('the reward of a run behind HTTP, for a trainer in Python on this machine')
    .argument('[run]', 'run folder that has chosen its reward', pathName)
    .addOption(new Option('--reward <kind>', 'instead of a run’s').choices(Object.keys(REWARDS)))
    .option(
      '--experiment <file>',
      'experiment file of the run, where its environment or agent is given in code',
      pathName,
    )
    .option('--port <n>', 'port on 127.0.0.1; 0 = any free one', wholeNumber(0, 65535), 8000)
    .option('--json', 'print one JSON object once it listens', false)
    .addHelpText(
      'after',
      `
POST /v1/rewards takes {"completions": […], "ground_truth": […], "answered_by"?: […]} and answers {"rewards": […]}: docs/other-trainers.md.

Examples:
  rwml serve reward runs/quickstart
  rwml serve reward --reward rouge --port 9000

Every program on this machine is answered; with a key in the environment variable ${KEY_VARIABLE}, those that send it.`,
    )
    .action(async (run: string | undefined, _: unknown, command: Command) => {
      // `serve` above has options of the same names, and takes them first.
      await serveReward(run, command.optsWithGlobals<Options>())
    })
}

async function serveReward(run: string | undefined, options: Options): Promise<void> {
  const { port, json } = options
  const key = keyIn(KEY_VARIABLE)
  const { reward, agent } = await chosen(run, options)
  const log = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)}  ${line}`)
  const server = await startRewardServer({ reward, agent, key, port, log })
  const url = `${server.url}/v1/rewards`
  console.log(`${reward.name} at ${url}

  curl ${url} -H 'Content-Type: application/json'${key === null ? '' : ` -H "Authorization: Bearer $${KEY_VARIABLE}"`} \\
    -d '{"completions": ["<next_state>The lamp is on.</next_state>"], "ground_truth": ["The lamp is on."]}'

Ctrl-C ends it.`)
  if (json) console.log(JSON.stringify({ url, reward: reward.name, agent: agent.name }))
  process.exitCode = (await untilStopped(server.close, server.openRequests, 'requests')) ? 0 : INTERRUPTED_STATUS
}

async function chosen(run: string | undefined, { reward, experiment }: Options) {
  if ((run === undefined) === (reward === undefined)) {
    throw new UserError('name a run folder, or a reward with --reward: rwml serve reward runs/quickstart', 2)
  }
  if (reward !== undefined) return { reward: REWARDS[reward](), agent: transcriptAgent() }
  const { agent, environment } = experiment === undefined ? {} : await loadExperiment(experiment)
  return storedReward(run!, { agent, environment, warn: (line) => console.error(line) })
}
