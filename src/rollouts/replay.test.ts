import { expect, it } from 'vitest'
import type { Observation, Trajectory } from '../core/index.ts'
import type { Environment } from '../environments/index.ts'
import { checkReplay } from './replay.ts'

const said = (text: string): Observation => ({ from: 'environment', text })

/** Says `start`, and then what it makes of the number of steps. */
function speaking(answer: (step: number) => string, start = 'start'): Environment {
  return {
    name: 'speaking',
    splits: () => ['train'],
    tasks: () => [],
    open() {
      let step = 0
      return {
        initial: said(start),
        // An optional member that is there and undefined, as many environments write it, is none in a file.
        step: () => ({
          observation: said(answer(++step)),
          done: false,
          truncated: false,
          valid: true,
          reward: undefined,
        }),
      }
    },
  }
}

const trajectory: Trajectory = {
  task: { id: 'a', split: 'train', kind: 'x', instruction: 'y' },
  sample: 0,
  seed: 1,
  initial: said('start'),
  turns: ['one', 'two'].map((text) => ({
    reply: '',
    action: text === 'two' ? null : { kind: 'text', text: 'go' },
    observation: said(text),
    valid: text !== 'two',
    tokens: [],
    logprobs: [],
  })),
  done: false,
  truncated: true,
  sequences: [],
}

const words = (step: number) => ['one', 'two'][step - 1]

async function check(environment: Environment): Promise<string[]> {
  const warnings: string[] = []
  await checkReplay(environment, [trajectory], { maxSteps: 5, warn: (message) => warnings.push(message) })
  return warnings
}

it('says nothing of an environment that answers as it did', async () => {
  expect(await check(speaking(words))).toEqual([])
})

it('refuses one that answers otherwise, with both answers', async () => {
  await expect(check(speaking(words, 'begin'))).rejects.toThrow(
    /speaking changed since this run was begun: task a, the first observation, was .*"start".* and is now .*"begin"/,
  )
  await expect(check(speaking((step) => (step === 1 ? 'uno' : words(step))))).rejects.toThrow(
    /task a, step 1 \("go"\), was .*"one".* and is now .*"uno"/,
  )
})

it('refuses one that rewards or ends otherwise', async () => {
  const answering = (end: { done: boolean; reward?: number }): Environment => ({
    ...speaking(words),
    open: () => {
      let step = 0
      return {
        initial: said('start'),
        step: () => ({
          observation: said(words(++step)),
          truncated: false,
          valid: true,
          ...(step === 2 ? end : { done: false }),
        }),
      }
    },
  })
  expect(await check(answering({ done: false }))).toEqual([])
  await expect(check(answering({ done: true }))).rejects.toThrow(
    /step 2 \(""\), was \{"done":false\} and is now \{"done":true\}/,
  )
  await expect(check(answering({ done: false, reward: 1 }))).rejects.toThrow(/is now \{"done":false,"reward":1\}/)
})

it('warns of one that does not repeat itself, which cannot be compared', async () => {
  let calls = 0
  expect(await check(speaking(() => `answer ${calls++}`))).toEqual([
    expect.stringContaining('speaking does not repeat itself from the same seed and actions (task a, step 1 ("go"))'),
  ])
})
