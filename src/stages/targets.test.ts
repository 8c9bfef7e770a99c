import { describe, expect, it } from 'vitest'
import { alfworldTranscript, tau2SmallAgent, toolsAgent, toolsTranscriptAgent, windowAgent } from '../agents/index.ts'
import { observationText, type Trajectory, type Transition, transitionsOf } from '../core/index.ts'
import { byteTokenizerFile, ChatFormat, ChatTemplate, Tokenizer } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL } from '../tokens/testing/tokenizer.ts'
import type { StageContext } from './context.ts'
import { actionValidity, remainingSteps, solvedFromHere, type Target, targeted } from './targets.ts'

const format = new ChatFormat(
  new Tokenizer(byteTokenizerFile(CHATML_SPECIAL), { eos_token: '<|endoftext|>' }),
  new ChatTemplate(CHATML),
)
const say = (text: string) => ({ from: 'environment' as const, text })

/** Three steps; the second is not possible. */
function episode(id: string, end: Partial<Trajectory>): Trajectory {
  return {
    task: { id, split: 'train', kind: 'k', instruction: 'win' },
    sample: 0,
    seed: 0,
    initial: say('Go.'),
    turns: [true, false, true].map((valid, step) => ({
      reply: `step ${step}`,
      action: { kind: 'text', text: `step ${step}` },
      observation: say(`after ${step}`),
      valid,
      tokens: [],
      logprobs: [],
    })),
    done: true,
    truncated: false,
    sequences: [],
    ...end,
  }
}

const transitions = [
  episode('won', { reward: 1 }),
  episode('lost', { reward: 0 }),
  episode('cut', { reward: 0, done: false, truncated: true }),
  episode('broken', { failed: 'the tool was down' }),
].flatMap(transitionsOf)

const context = (agent: StageContext['agent']) => ({
  agent,
  format,
  trainer: { sampler: () => ({ contextLength: 8192 }) } as unknown as StageContext['trainer'],
  config: { worldModel: { maxTokens: 64, reasoning: true } } as StageContext['config'],
})
const ask = (target: Target, some: Transition[] = transitions) =>
  targeted(context(windowAgent({ historyTurns: 2, showActions: false })), target, some).map((one) => [
    one.id,
    observationText(one.next),
  ])

describe('targets', () => {
  it('ask what the rest of the episode answers, and only where it does', () => {
    expect(ask(solvedFromHere)).toEqual([
      ...[0, 1, 2].map((step) => [`won#0.${step}`, 'yes']),
      ...[0, 1, 2].map((step) => [`lost#0.${step}`, 'no']),
      ...[0, 1, 2].map((step) => [`cut#0.${step}`, 'no']),
    ])
    expect(ask(remainingSteps)).toEqual([
      ['won#0.0', '2'],
      ['won#0.1', '1'],
      ['won#0.2', '0'],
    ])
    expect(ask(actionValidity).filter(([, answer]) => answer === 'no')).toHaveLength(4)
  })

  it('score answers strictly', async () => {
    const rewards = async (target: Target, actual: string, said: (string | null)[]) => {
      const scores = await target.reward.score(said.map((predicted) => ({ predicted, actual, from: 'environment' })))
      return scores.map(({ reward }) => reward)
    }
    expect(await rewards(solvedFromHere, 'yes', ['yes', 'Yes.', ' YES ', 'no', 'yes or no', '', null])).toEqual([
      1, 1, 1, 0, 0, 0, 0,
    ])
    expect(await rewards(remainingSteps, '4', ['4', '3', '8', '0', 'four', '-4', '4.0', null])).toEqual([
      1, 0.75, 0.5, 0, 0, 0, 0, 0,
    ])
    expect(await rewards(remainingSteps, '0', ['0', '1'])).toEqual([1, 0])
  })

  it('say where they teach nothing', () => {
    const valid = transitions.filter((one) => one.valid)
    expect(() => ask(actionValidity, valid)).toThrow(
      /teaches nothing here: of 8 transitions the answer is always "yes"/,
    )
    const unrewarded = transitionsOf(episode('free', {}))
    expect(() => ask(solvedFromHere, unrewarded)).toThrow(/it arises of no transition/)
  })

  const agents = [
    alfworldTranscript,
    windowAgent({ historyTurns: 2, showActions: false }),
    toolsAgent(),
    toolsTranscriptAgent(),
    tau2SmallAgent(),
  ]
  it.each(agents)('are asked by $name, in place of what follows', (agent) => {
    const [about] = targeted(context(agent), actionValidity, transitions)
    for (const reasoning of [true, false]) {
      const prompt = (one: Transition) =>
        agent
          .predictMessages(one, { reasoning })
          .map(({ content }) => content)
          .join('\n')
      expect(prompt(about)).toContain(about.question)
      expect(prompt(about)).not.toMatch(/next observation|Predict what follows|Write what follows/)
      expect(prompt({ ...about, question: undefined })).toBe(prompt(transitions[0]))
    }
    expect(agent.parsePrediction(agent.predictionLabel(about))).toMatchObject({ nextState: 'yes' })
    const label = agent.predictionLabel(about, 'The door is open.')
    expect(agent.parsePrediction(label)).toEqual({ thinking: 'The door is open.', nextState: 'yes' })
  })

  it('refuse an agent that asks something else', () => {
    const deaf = {
      ...alfworldTranscript,
      name: 'deaf',
      predictMessages: () => [{ role: 'user' as const, content: '?' }],
    }
    expect(() => targeted(context(deaf), actionValidity, transitions)).toThrow(
      /the agent deaf does not ask the question/,
    )
  })
})
