import { describe, expect, it } from 'vitest'
import { type Agent, alfworldTranscript, alfworldWindow, replyFor } from '../agents/index.ts'
import { type Trajectory, UserError } from '../core/index.ts'
import { ScriptedSampler } from '../engines/testing/scripted-sampler.ts'
import { alfworldEnvironment, trajectorySchema } from '../environments/index.ts'
import { byteTokenizerFile, ChatFormat, ChatTemplate, Tokenizer } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL } from '../tokens/testing/tokenizer.ts'
import { demonstrate } from './demonstrate.ts'
import { playWave } from './play.ts'
import { playWith } from './play-with.ts'
import { reopen } from './reopen.ts'

const tokenizer = new Tokenizer(byteTokenizerFile(CHATML_SPECIAL), { eos_token: '<|endoftext|>' })
const format = new ChatFormat(tokenizer, new ChatTemplate(CHATML))
const environment = alfworldEnvironment({ generate: { size: 'small', counts: { train: 6 } } })
const slots = environment.tasks('train').map((task) => ({ task, sample: 0 }))
const player = environment.planner!

const agents: [string, Agent][] = [
  ['transcript', alfworldTranscript],
  ['window', alfworldWindow({ historyTurns: 2, showActions: true })],
]

/** The planner's play, as a file holds it, with its replies in the agent's format. */
async function plans(agent: Agent): Promise<Trajectory[]> {
  const options = { environment, player, seed: 1, maxSteps: 20, concurrency: 2, retries: 0 }
  return (await playWith(slots, options)).map((one) => ({
    ...trajectorySchema.parse(JSON.parse(JSON.stringify(one))),
    turns: one.turns.map((turn) => ({ ...turn, reply: replyFor(agent, turn.action!)! })),
  }))
}

const options = (agent: Agent, contextLength = 8192) => ({ environment, agent, format, contextLength, maxTokens: 64 })

describe('the planner', () => {
  it('solves every household, and each of its steps is valid', async () => {
    for (const one of await plans(alfworldTranscript)) {
      expect([one.reward, one.done]).toEqual([1, true])
      expect(one.turns.every(({ valid }) => valid)).toBe(true)
    }
  })
})

describe.each(agents)('a demonstration to the %s agent', (_, agent) => {
  it.each([8192, 1100])(
    'is token for token what it would have been asked and have answered (context %i)',
    async (context) => {
      const shown = await plans(agent)
      const replies = new Map(shown.map(({ task, turns }) => [task.id, turns.map(({ reply }) => reply)]))
      for (const trajectory of shown) {
        const said = replies.get(trajectory.task.id)!
        const sampler = new ScriptedSampler((_prompt, call) => format.replyTokens(said[call]), context)
        const [played] = await playWave([{ task: trajectory.task, sample: 0 }], {
          environment,
          agent,
          format,
          sampler,
          seed: 1,
          temperature: 1,
          maxSteps: 20,
          maxTokens: 64,
        })
        const demonstration = await demonstrate(trajectory, options(agent, context))
        const tokens = ({ tokens, mask }: { tokens: number[]; mask: number[] }) => ({ tokens, mask })
        expect(demonstration!.sequences.map(tokens)).toEqual(played.sequences.map(tokens))
        expect(demonstration!.states.map(({ prompt }) => prompt)).toEqual(
          sampler.calls.flatMap(({ prompts }) => prompts),
        )
        expect(demonstration!.shortened).toBe(played.shortened)
        expect(demonstration!.outgrown > 0).toBe(played.outgrown)
      }
    },
  )
})

describe('a stored episode', () => {
  it('is opened again at any of its steps, and not where the environment answers otherwise now', async () => {
    const [one] = await plans(alfworldTranscript)
    const episode = await reopen(environment, one, { steps: one.turns.length - 1 })
    expect(await episode!.step(one.turns.at(-1)!.action!)).toMatchObject({ done: true, reward: 1 })
    const turns = one.turns.map((turn, index) =>
      index === 1 ? { ...turn, observation: { from: 'environment' as const, text: 'A bell.' } } : turn,
    )
    expect(await reopen(environment, { ...one, turns }, { steps: 1 })).not.toBeNull()
    expect(await reopen(environment, { ...one, turns }, { steps: 2 })).toBeNull()
    const window = alfworldWindow({ historyTurns: 2, showActions: true })
    expect(await demonstrate({ ...one, turns }, options(window))).toBeNull()
    expect(await demonstrate({ ...one, turns }, options(alfworldTranscript))).not.toBeNull()
  })

  it('whose first prompt does not fit is refused', async () => {
    const [one] = await plans(alfworldTranscript)
    await expect(demonstrate(one, options(alfworldTranscript, 100))).rejects.toThrow(UserError)
  })
})
