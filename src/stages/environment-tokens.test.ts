import { describe, expect, it } from 'vitest'
import { alfworldTranscript, alfworldWindow, transcriptAgent } from '../agents/index.ts'
import type { PastTurn, Trajectory } from '../core/index.ts'
import { byteTokenizerFile, ChatFormat, ChatTemplate, Conversation, Tokenizer } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL } from '../tokens/testing/tokenizer.ts'
import { observedMasks } from './environment-tokens.ts'

const tokenizer = new Tokenizer(byteTokenizerFile(CHATML_SPECIAL), { eos_token: '<|endoftext|>' })
const format = new ChatFormat(tokenizer, new ChatTemplate(CHATML))
const say = (text: string) => ({ from: 'environment' as const, text })

const ANSWERS = ['Nothing happens.', 'You see a mug 1.', 'Nothing happens.', 'You win.']

/** An episode as the agent would have been prompted. */
function episode(agent: typeof alfworldTranscript): Trajectory {
  const conversation = new Conversation(format)
  const history: PastTurn[] = []
  for (const [step, text] of ANSWERS.entries()) {
    const view = { instruction: 'find the mug', initial: say('Nothing happens. You are in a room.'), history }
    conversation.prompt(agent.playMessages({ ...view, history: [...history], actions: ['look'] }))
    const tokens = format.replyTokens(`look ${step}`)
    const reply = conversation.accept(
      tokens,
      tokens.map(() => -1),
    )
    history.push({ reply, action: { kind: 'text', text: reply }, observation: say(text) })
  }
  const turns = history.map((turn) => ({ ...turn, valid: true, tokens: [], logprobs: [] }))
  return { turns, sequences: conversation.sequences() } as unknown as Trajectory
}

/** What is marked, run by run. */
function marked({ sequences }: Trajectory, masks: number[][]): string[] {
  return masks.flatMap((mask, i) => {
    const runs: number[][] = []
    for (const [t, value] of mask.entries()) {
      if (value === 1 && mask[t - 1] !== 1) runs.push([])
      if (value === 1) runs.at(-1)?.push(sequences[i].tokens[t])
    }
    return runs.map((run) => tokenizer.decode(run))
  })
}

describe('the environment’s tokens', () => {
  // What follows the last action stands in no prompt; the first observation answers nothing.
  it.each([
    ['one growing conversation', alfworldTranscript, 1],
    ['one with a system message', transcriptAgent({ description: 'Nothing happens. You win.' }), 1],
    ['a prompt a step', alfworldWindow({ historyTurns: 4, showActions: true }), 4],
  ])('are the answers to actions, once each, and nothing else: %s', (_, agent, sequences) => {
    const trajectory = episode(agent)
    expect(trajectory.sequences).toHaveLength(sequences)
    const masks = observedMasks(format, trajectory)
    expect(marked(trajectory, masks)).toEqual(ANSWERS.slice(0, 3))
    for (const [i, { mask }] of trajectory.sequences.entries()) {
      expect(masks[i]).toHaveLength(mask.length)
      expect(mask.some((own, t) => own === 1 && masks[i][t] === 1)).toBe(false)
    }
  })

  it('are none where a prompt shows an answer in another form', () => {
    const trajectory = episode(alfworldTranscript)
    for (const turn of trajectory.turns) turn.observation = say('told otherwise')
    expect(marked(trajectory, observedMasks(format, trajectory))).toEqual([])
  })
})
