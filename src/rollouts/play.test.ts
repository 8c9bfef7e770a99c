import { describe, expect, it } from 'vitest'
import { alfworldTranscript } from '../agents/index.ts'
import type { Task } from '../core/index.ts'
import { ScriptedSampler } from '../engines/testing/scripted-sampler.ts'
import type { Environment, Episode } from '../environments/index.ts'
import { byteTokenizerFile, ChatFormat, ChatTemplate, Tokenizer } from '../tokens/index.ts'
import { CHATML, CHATML_SPECIAL } from '../tokens/testing/tokenizer.ts'
import { type PlayOptions, playWave } from './play.ts'

const tokenizer = new Tokenizer(byteTokenizerFile(CHATML_SPECIAL), { eos_token: '<|endoftext|>' })
const format = new ChatFormat(tokenizer, new ChatTemplate(CHATML))
const reply = (text: string) => format.replyTokens(text)

/** Counts to a number: `more` is valid, three of them win. */
function counting(step: Partial<Episode> = {}): Environment {
  return {
    name: 'counting',
    splits: () => ['train'],
    tasks: () => [],
    open: (_, { maxSteps = 99 }) => {
      let count = 0
      let steps = 0
      return {
        initial: { from: 'environment', text: 'Count to three.' },
        step: (action) => {
          steps++
          const valid = action.kind === 'text' && action.text === 'more'
          if (valid) count++
          const done = count === 3
          return {
            observation: { from: 'environment', text: `${count}` },
            done,
            truncated: !done && steps >= maxSteps,
            valid,
            reward: done ? 1 : 0,
          }
        },
        ...step,
      }
    },
  }
}

const task = (id: string): Task => ({ id, split: 'train', kind: 'count', instruction: 'count' })

function options(sampler: ScriptedSampler, more: Partial<PlayOptions> = {}): PlayOptions {
  return {
    environment: counting(),
    agent: alfworldTranscript,
    format,
    sampler,
    seed: 1,
    temperature: 1,
    maxSteps: 5,
    maxTokens: 16,
    ...more,
  }
}

describe('playWave', () => {
  it('opens no more episodes at once than there can be, and closes each, whatever happens', async () => {
    const counts = { open: 0, most: 0, opened: 0 }
    const limited = (concurrent: number | undefined, broken = 99): Environment => {
      const inner = counting()
      const open: Environment['open'] = async (task, how) => {
        if (++counts.opened === broken) throw new Error('no room')
        counts.most = Math.max(counts.most, ++counts.open)
        const episode = await inner.open(task, how)
        return { ...episode, close: () => void counts.open-- }
      }
      return { ...inner, concurrent, open }
    }
    const slots = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ task: task(id), sample: 0 }))
    const play = (environment: Environment) => {
      Object.assign(counts, { open: 0, most: 0, opened: 0 })
      return playWave(slots, options(new ScriptedSampler(() => reply('more')), { environment }))
    }
    const together = await play(limited(undefined))
    expect(counts).toEqual({ open: 0, most: 5, opened: 5 })
    expect(await play(limited(2))).toEqual(together)
    expect(counts).toEqual({ open: 0, most: 2, opened: 5 })
    await expect(play(limited(2, 4))).rejects.toThrow('no room')
    expect(counts.open).toBe(0)
  })

  it('plays episodes to their end, and keeps every sampled token with its mask', async () => {
    const sampler = new ScriptedSampler((_, call) => reply(call === 1 ? 'what' : '<thinking>x</thinking>more'))
    const [one] = await playWave([{ task: task('a'), sample: 0 }], options(sampler))
    expect(one.turns.map((turn) => turn.valid)).toEqual([true, false, true, true])
    expect(one).toMatchObject({ done: true, truncated: false, reward: 1 })
    expect(sampler.resets).toBe(1)
    const [sequence, ...others] = one.sequences
    expect(others).toEqual([])
    const sampled = sequence.tokens.filter((_, index) => sequence.mask[index] === 1)
    expect(sampled).toEqual(one.turns.flatMap((turn) => turn.tokens))
  })

  it('truncates at the step limit, and drops finished episodes from the batch', async () => {
    const sampler = new ScriptedSampler((prompt) => reply(tokenizer.decode(prompt).includes('\nb') ? 'more' : 'what'))
    const slots = [task('a'), task('b')].map((each) => ({ task: each, sample: 0 }))
    const trajectories = await playWave(slots, options(sampler))
    expect(trajectories.every((one) => one.truncated && !one.done && one.turns.length === 5)).toBe(true)
    const quick = new ScriptedSampler(() => reply('more'))
    await playWave(slots, options(quick))
    expect(quick.calls.map((call) => call.prompts.length)).toEqual([2, 2, 2])
  })

  it('gives each draw a seed of its own: by task, attempt and step, and nothing else', async () => {
    const seeds = async (slots: { task: Task; sample: number }[]) => {
      const sampler = new ScriptedSampler(() => reply('more'))
      await playWave(slots, options(sampler))
      return sampler.calls.map((call) => call.params.seed as number[])
    }
    const both = await seeds([
      { task: task('a'), sample: 0 },
      { task: task('a'), sample: 1 },
    ])
    const second = await seeds([{ task: task('a'), sample: 1 }])
    expect(second.map(([seed]) => seed)).toEqual(both.map(([, seed]) => seed))
    expect(new Set(both.flat()).size).toBe(6)
  })

  it('takes a reply without an action as an invalid step', async () => {
    const sampler = new ScriptedSampler(() => reply('<thinking>never closed'))
    const [one] = await playWave([{ task: task('a'), sample: 0 }], options(sampler, { maxSteps: 1 }))
    expect(one.turns[0]).toMatchObject({ action: null, valid: false })
  })

  it('leaves out the oldest turns where the context is too short, counts them, and trains on what was shown', async () => {
    const contextLength = 160
    const sampler = new ScriptedSampler((_, call) => reply(`what ${call}`), contextLength)
    const [one] = await playWave([{ task: task('a'), sample: 0 }], options(sampler, { maxSteps: 12 }))
    expect(one).toMatchObject({ truncated: true, outgrown: false })
    expect(one.turns).toHaveLength(12)
    const prompts = sampler.calls.map(({ prompts: [prompt] }) => tokenizer.decode(prompt))
    const shortened = prompts.filter((text) => /\(\d+ earlier steps are not shown\)/.test(text))
    expect(one.shortened).toBe(shortened.length)
    expect(shortened.length).toBeGreaterThan(0)
    for (const [step, text] of prompts.entries()) {
      expect(text).toContain('Count to three.')
      if (step > 0) expect(text).toContain(`what ${step - 1}`)
    }
    for (const { prompts: shown } of sampler.calls) expect(shown[0].length).toBeLessThanOrEqual(contextLength - 16)
    const sampled = one.sequences.flatMap(({ tokens, mask }) => tokens.filter((_, index) => mask[index] === 1))
    expect(sampled).toEqual(one.turns.flatMap((turn) => turn.tokens))
    for (const { tokens } of one.sequences) expect(tokens.length).toBeLessThanOrEqual(contextLength)
  })

  it('ends an episode whose current observation does not fit, and counts it; refuses such a first prompt', async () => {
    const flood = counting({
      step: () => ({
        observation: { from: 'environment', text: 'flood '.repeat(100) },
        done: false,
        truncated: false,
        valid: true,
      }),
    })
    const sampler = new ScriptedSampler(() => reply('what'), 160)
    const [one] = await playWave([{ task: task('a'), sample: 0 }], options(sampler, { environment: flood }))
    expect(one).toMatchObject({ truncated: true, outgrown: true, shortened: 0 })
    expect(one.turns).toHaveLength(1)
    expect(one.sequences[0].tokens.length).toBeLessThanOrEqual(160)
    const tiny = new ScriptedSampler(() => reply('what'), 20)
    await expect(playWave([{ task: task('a'), sample: 0 }], options(tiny))).rejects.toThrow(/task a.*context/)
  })

  it('stops where it is asked to', async () => {
    const controller = new AbortController()
    controller.abort(new Error('enough'))
    const sampler = new ScriptedSampler(() => reply('more'))
    const playing = playWave([{ task: task('a'), sample: 0 }], options(sampler, { signal: controller.signal }))
    await expect(playing).rejects.toThrow('enough')
  })
})
