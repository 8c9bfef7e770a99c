import { describe, expect, it } from 'vitest'
import { alfworldTranscript, alfworldWindow } from '../agents/index.ts'
import { type Transition, UserError } from '../core/index.ts'
import { ScriptedSampler } from '../engines/testing/scripted-sampler.ts'
import type { Environment } from '../environments/index.ts'
import { exactReward, type Score, type WorldModelReward } from '../rewards/index.ts'
import { byteTokenizerFile, ChatFormat, ChatTemplate, Tokenizer } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL } from '../tokens/testing/tokenizer.ts'
import { contextNote } from './context-note.ts'
import {
  answerSequence,
  canBeAsked,
  type PredictOptions,
  predict,
  predictAndScore,
  predictionPrompt,
} from './predictions.ts'
import type { EvaluationResult } from './result.ts'
import { worldModelResult } from './world-model.ts'

const tokenizer = new Tokenizer(byteTokenizerFile(CHATML_SPECIAL), { eos_token: '<|endoftext|>' })
const format = new ChatFormat(tokenizer, new ChatTemplate(CHATML))
const say = (text: string) => ({ from: 'environment' as const, text })
const act = (text: string) => ({ kind: 'text' as const, text })

/** The transition after `steps` steps. */
function transition(steps: number): Transition {
  return {
    id: `t#0.${steps}`,
    taskId: 't',
    taskKind: 'k',
    instruction: 'put a mug in desk',
    initial: say('You see a desk 1.'),
    history: Array.from({ length: steps }, (_, i) => ({
      reply: `go to desk ${i}`,
      action: act(`go to desk ${i}`),
      observation: say(`You are at desk ${i}.`),
    })),
    action: act('open drawer 1'),
    next: say('It is open.'),
    valid: true,
  }
}

const agents = [alfworldTranscript, alfworldWindow({ historyTurns: 40, showActions: false })]

describe.each(agents)('the prompt for a prediction: $name', (agent) => {
  const ask = (steps: number, room: number) =>
    predictionPrompt(agent, format, transition(steps), { reasoning: true, room })

  it('loses its oldest turns where it does not fit, and never what the question is about', () => {
    const whole = ask(30, Number.POSITIVE_INFINITY)
    expect(whole.omitted).toBe(0)
    const short = ask(30, whole.tokens.length - 200)
    const text = tokenizer.decode(short.tokens)
    expect(short.tokens.length).toBeLessThanOrEqual(whole.tokens.length - 200)
    expect(short.omitted).toBeGreaterThan(0)
    expect(text).toContain(`(${short.omitted} earlier steps are not shown)`)
    expect(text).not.toContain(`desk ${short.omitted - 1}.`)
    for (const kept of ['You are at desk 29.', 'open drawer 1']) expect(text).toContain(kept)
    // One turn more would not have fitted.
    const least = tokenizer.encode(
      format.promptText(
        agent.predictMessages(
          { ...transition(30), history: transition(30).history.slice(short.omitted - 1) },
          { reasoning: true, omitted: short.omitted - 1 },
        ),
      ),
    )
    expect(least.length).toBeGreaterThan(whole.tokens.length - 200)
  })

  it('is an error where not even those fit', () => {
    expect(() => ask(30, 20)).toThrow(UserError)
    expect(() => ask(30, 20)).toThrow(
      /transition t#0\.30: its prompt has \d+ tokens without any earlier step, but only 20/,
    )
    expect(() => ask(0, -5)).toThrow(/only 0 fit/)
  })

  it('can be asked exactly where those fit beside an answer or the label', () => {
    const bare = { reasoning: true, omitted: 29 }
    const shown = { ...transition(30), history: transition(30).history.slice(29) }
    const lengths = [true, false].map(
      (reasoning) => tokenizer.encode(format.promptText(agent.predictMessages(shown, { ...bare, reasoning }))).length,
    )
    const label = format.replyTokens(agent.predictionLabel(shown)).length
    for (const maxTokens of [1, label, 500]) {
      const needed = Math.max(...lengths) + Math.max(maxTokens, label)
      expect(canBeAsked(agent, format, transition(30), { contextLength: needed, maxTokens })).toBe(true)
      expect(canBeAsked(agent, format, transition(30), { contextLength: needed - 1, maxTokens })).toBe(false)
    }
  })
})

const options = (sampler: ScriptedSampler): PredictOptions => ({
  agent: alfworldTranscript,
  format,
  sampler,
  n: 2,
  temperature: 1,
  maxTokens: 30,
  seed: 1,
  reasoning: true,
})
const right = () => format.replyTokens('<thinking></thinking><next_state>It is open.</next_state>')

describe('predictions', () => {
  it('carry the prompt that was asked, and are counted where it was shortened', async () => {
    const sampler = new ScriptedSampler(right, 240)
    const groups = await predict([transition(1), transition(30)], options(sampler))
    expect(groups.map(([{ omitted }]) => omitted > 0)).toEqual([false, true])
    for (const [i, [answer]] of groups.entries()) {
      expect(answer.prompt).toEqual(sampler.calls[0].prompts[i])
      expect(answer.prompt.length).toBeLessThanOrEqual(210)
      expect(answerSequence(answer).tokens).toEqual([...answer.prompt, ...answer.tokens])
    }
    const result = await worldModelResult(
      'model',
      'seen',
      [transition(1), transition(30)],
      groups.map(([answer]) => answer),
      { name: 'e' } as Environment,
      exactReward(),
    )
    expect(result).toMatchObject({ exact: 1, rewarded: 1, shortened: 1 })
  })

  it('are refused a reward that is none, by transition and reward', async () => {
    const giving = (score: unknown, drop = 0): WorldModelReward => ({
      name: 'mine',
      score: async (predictions) => predictions.slice(drop).map(() => score as Score),
    })
    const scored = (reward: WorldModelReward) =>
      predictAndScore([transition(1), transition(2)], options(new ScriptedSampler(right)), reward)
    for (const [reward, got] of [
      [giving({ reward: Number.NaN, distance: 0 }), /mine gave reward NaN, distance 0 for transition t#0\.1:/],
      [giving({ reward: Number.POSITIVE_INFINITY, distance: null }), /reward Infinity/],
      [giving({ reward: 2, distance: null }), /reward 2.*from 0 to 1/],
      [giving({ reward: '1', distance: null }), /reward 1,/],
      [giving({ reward: 1, distance: Number.NaN }), /distance NaN/],
      [giving({ reward: 1, distance: 0 }, 1), /gave nothing for transition t#0\.2/],
    ] as const) {
      await expect(scored(reward)).rejects.toBeInstanceOf(UserError)
      await expect(scored(reward)).rejects.toThrow(got)
    }
    expect(await scored(giving({ reward: 1, distance: null }))).toHaveLength(2)
  })
})

it('an evaluation tells what did not fit', () => {
  const evaluation = (shortened: number, outgrown: number) =>
    ({
      arms: [{ policy: [{ shortened, outgrown }, {}], worldModel: [{ shortened: 3 * shortened }] }],
    }) as unknown as EvaluationResult
  expect(contextNote(evaluation(0, 0))).toBeNull()
  expect(contextNote(evaluation(2, 1))).toMatch(/8 prompts went without .* 1 episodes ended early/)
})
