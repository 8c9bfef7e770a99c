import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toolsAgent } from '../agents/index.ts'
import { observationText, type Transition, UserError } from '../core/index.ts'
import { type Embedder, LexicalEmbedder } from '../embedders/index.ts'
import { tinyEncoder } from '../embedders/onnx/testing/tiny-encoder.ts'
import { type Environment, importLogs } from '../environments/index.ts'
import { miniPreset } from '../methods/index.ts'
import { modelThatSays } from '../services/testing/model.ts'
import { RunFolder } from '../store/index.ts'
import { byteTokenizerFile, ChatFormat, ChatTemplate, Tokenizer } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL } from '../tokens/testing/tokenizer.ts'
import { collect, handOn } from './collect.ts'
import { resolveConfig } from './config.ts'
import type { StageContext } from './context.ts'
import { policyStage } from './policy-rl.ts'
import { chooseReward, rewardBy } from './reward.ts'
import type { Artifacts } from './stage.ts'

const tokenizer = new Tokenizer(byteTokenizerFile(CHATML_SPECIAL), { eos_token: '<|endoftext|>' })
const format = new ChatFormat(tokenizer, new ChatTemplate(CHATML))

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-recorded-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Conversations with one call each, whose answer the customer takes in one of two ways. */
const chat = (id: number) => ({
  id,
  reward: 1,
  split: 'train',
  messages: [
    { role: 'user', content: `How many of article ${id}?` },
    { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'find', arguments: `{"item":${id}}` } }] },
    { role: 'tool', tool_call_id: 'a', content: `{"left":${id % 3}}` },
    { role: 'assistant', content: `There are ${id % 3}.` },
    { role: 'user', content: id % 3 === 0 ? 'Nothing left at all, a pity.' : `Then send me ${id % 3} of them please.` },
  ],
})

function contextOf(overrides: Record<string, unknown> = {}, contextLength = 8192): StageContext {
  const lines = Array.from({ length: 40 }, (_, id) => `${JSON.stringify(chat(id))}\n`).join('')
  const { splits } = importLogs([{ path: 'chats.jsonl', content: Buffer.from(lines) }], { skipBad: false })
  const trajectories = splits.get('train')!
  const environment: Environment = {
    name: 'logs',
    splits: () => ['train'],
    tasks: () => trajectories.map(({ task }) => task),
    recorded: () => trajectories,
    open() {
      throw new UserError('cannot be played')
    },
  }
  const { config } = resolveConfig(miniPreset, { 'collect.tasks': 5, 'reward.kind': 'hybrid', ...overrides })
  const nothing = () => {}
  const progress = { start: nothing, update: nothing, finish: nothing }
  return {
    run: RunFolder.create(folder),
    config,
    environment,
    agent: toolsAgent(),
    format,
    trainer: { sampler: () => ({ contextLength }) },
    progress,
    warn: nothing,
  } as unknown as StageContext
}

const fitted = async (train: Transition[]): Promise<Pick<Embedder, 'embed'>> => {
  const lexical = LexicalEmbedder.fit(train.map(({ next }) => observationText(next)))
  return { embed: (texts) => lexical.embed(texts) }
}

describe('recorded play', () => {
  it('is collected as it is: all of it, asked for by shape, with histories as they were', async () => {
    const context = contextOf()
    const { train, filter, counts } = await collect(context)
    expect(counts).toMatchObject({ episodes: 40, transitions: 80, valid: 80, solved: 40, rewarded: 0 })
    expect([train.length, filter.length]).toEqual([72, 8])
    const [tool, user] = train.filter((one) => one.taskId === train[0].taskId)
    expect(observationText(tool.next)).toBe('{"type":"object","properties":{"left":{"type":"number"}}}')
    expect(observationText(user.history[0].observation)).toMatch(/^\{"left":\d\}$/)
    // What other commands read.
    expect(readdirSync(join(folder, 'rollouts'))).toEqual(['collect-0000.jsonl'])
    expect(readFileSync(join(folder, 'transitions.jsonl'), 'utf8').trim().split('\n')).toHaveLength(80)
    expect(await collect(context)).toEqual({ train, filter, counts })
  })

  it('leaves out and counts what a model with a short context cannot be asked about', async () => {
    const { train, filter, counts } = await collect(contextOf({}, 900))
    expect(counts.tooLong).toBeGreaterThan(0)
    expect(counts.transitions).toBe(80 - counts.tooLong)
    expect(train.length + filter.length).toBe(counts.transitions)
  })

  it('leaves policy RL out, whatever rewards stand in the logs', async () => {
    const context = contextOf()
    const artifacts: Artifacts = { models: new Map(), arms: [] }
    handOn(await collect(context), artifacts)
    const { notes } = await policyStage().run(context, artifacts)
    expect(notes).toEqual(['left out: there is no task reward to play for'])
  })

  it('is scored by who answers', async () => {
    const context = contextOf({ 'reward.embedder': 'lexical' })
    const { train } = await collect(context)
    const { reward, record } = await chooseReward(context, train)
    expect(record?.embedder).toBe('lexical')
    const shape = '{"type":"object","properties":{"left":{"type":"number"}}}'
    const score = async (from: Transition['next']['from'], predicted: string, actual: string) =>
      (await reward.score([{ from, predicted, actual }]))[0].reward
    // Graded in fifths for tools; yes or no for a user's words.
    expect(await score('tool', shape, shape)).toBe(1)
    expect(await score('tool', '{"type":"object","properties":{"error":{"type":"string"}}}', shape)).toBeCloseTo(0.6)
    // ROUGE does not see the brackets; what cannot be read is no shape.
    expect(await score('tool', shape.slice(0, -2), shape)).toBe(0)
    expect(await score('user', 'Nothing left at all, a pity.', 'Nothing left at all, a pity.')).toBe(1)
    expect(await score('user', 'Nothing at all.', 'Then send me 2 of them please.')).toBe(0)
    // One reward for all, by one setting.
    const one = async (settings: Record<string, unknown>) =>
      (await chooseReward(contextOf(settings), train, {}, false)).reward
    const [rouge, embedding] = [
      await one({ 'reward.kind': 'rouge' }),
      await one({ 'reward.kind': 'embedding', 'reward.embedder': 'lexical' }),
    ]
    expect(rouge.name).toBe('rougeL')
    expect(embedding.name).toMatch(/^embedding\(lexical, d < /)
    for (const reward of [rouge, embedding]) {
      const found = await reward.score([{ from: 'tool', predicted: shape, actual: shape }])
      expect(found[0].reward).toBe(1)
    }
    // Nothing but tools: nothing to calibrate.
    const tools = train.filter(({ next }) => next.from === 'tool')
    expect((await chooseReward(context, tools)).reward.name).toBe('rougeL of JSON')
  })

  it('is judged by who is given in code, or by an embedder of one’s own', async () => {
    const judged = contextOf({ 'reward.kind': 'judge', 'reward.mode': 'continuous' })
    const { train } = await collect(judged)
    await expect(chooseReward(judged, train)).rejects.toThrow(
      /reward\.kind is judge, and no judge is given: put rewardBy/,
    )
    const judge = modelThatSays({ text: 'Score: 0.3' })
    expect(rewardBy({ judge }).options).toEqual({ judge: 'actor' })
    const { reward } = await chooseReward(judged, train, { judge })
    expect(reward.name).toBe('judge(actor, continuous)')
    expect(await reward.score([{ from: 'user', predicted: 'a', actual: 'b' }])).toEqual([
      { reward: 0.3, distance: 0.7 },
    ])

    const context = contextOf({ 'reward.kind': 'embedding' })
    const embedder: Embedder = { ...(await fitted(train)), name: 'own', semantic: true }
    const chosen = await chooseReward(context, train, { embedder })
    expect(chosen.record).toMatchObject({ embedder: 'own', semantic: true })
    // It stands in the run folder, and is wanted again when the run goes on.
    expect((await chooseReward(context, train, { embedder })).reward.name).toBe(chosen.reward.name)
    await expect(chooseReward(context, train)).rejects.toThrow(/uses the embedder own, and is given none/)
  })

  it('has τ_d from another embedder, and its own embedder from a folder', async () => {
    const context = contextOf({ 'reward.kind': 'embedding' })
    const { train } = await collect(context)
    const encoder = tinyEncoder()
    const foldered = contextOf({ 'reward.kind': 'embedding', 'reward.embedder': encoder })
    const { record: own } = await chooseReward(foldered, train, {}, false)
    rmSync(encoder, { recursive: true })
    expect(own!.embedder).toMatch(/^rwml-encoder-\w+@[0-9a-f]{8}$/)

    const embedder: Embedder = { ...(await fitted(train)), name: 'own', semantic: true }
    let asked = 0
    const squared: Embedder = {
      name: 'squared',
      semantic: true,
      // Nearer by far what is near: the same order of pairs, at other distances.
      embed: async (texts) => {
        asked++
        return (await embedder.embed(texts)).map((vector) => vector.map((value) => value ** 2))
      },
    }
    const like = { embedder: squared, threshold: 0.2 }
    expect(rewardBy({ embedder, like }).options).toEqual({ embedder: 'own', like: 'squared at 0.2' })
    const fixed = contextOf({ 'reward.kind': 'embedding', 'reward.threshold': 0.3 })
    await expect(chooseReward(fixed, train, { embedder, like })).rejects.toThrow(/give one of them/)
    const { record } = await chooseReward(context, train, { embedder, like })
    expect(record!.why).toMatch(/that of squared at 0.2: [\d.]+ % of the pairs lie below either/)
    expect(record!.threshold).toBeGreaterThan(0)
    expect(asked).toBe(1)
    expect((await chooseReward(context, train, { embedder, like })).record).toEqual(record)
    expect(asked).toBe(1)
    await expect(chooseReward(context, train, { embedder: squared })).rejects.toThrow(
      /uses the embedder own, and is given squared/,
    )

    expect(() => contextOf({ 'reward.embedder': 'lexcal' })).toThrow(
      /"lexcal": it must be auto, lexical, use-lite, or the path of a folder with model.onnx/,
    )
  })
})
