import { expect, it } from 'vitest'
import { imitation, implicitWorldModel, miniPreset, rft } from '../methods/index.ts'
import { resolveConfig } from './config.ts'
import type { StageContext } from './context.ts'
import type { Expected, Rehearsal } from './plan.ts'
import { sftStage } from './sft.ts'
import type { Artifacts, Stage } from './stage.ts'

const unit = { sampled: 10, trained: 100, sampleSeconds: 1, trainSeconds: 2, referenceSeconds: 0 }
const rehearsal = {
  turns: 5,
  rewarded: true,
  episode: unit,
  prediction: unit,
  label: { ...unit, trained: 30, trainSeconds: 1 },
} as unknown as Rehearsal

/** Plans of a method's stages but the last, by name. */
function plans(stages: readonly Stage[]) {
  const { config } = resolveConfig(miniPreset, {
    'collect.tasks': 40,
    'collect.rollouts': 2,
    'sft.batch': 10,
    'sft.epochs': 3,
  })
  const expected: Expected = { tasks: 100, heldOut: {}, train: 0, filter: 0, arms: 1 }
  const all = stages
    .slice(0, -1)
    .map((stage) => [stage.name, stage.plan?.(config, { ...rehearsal, valid: 1 }, expected)])
  return { ...Object.fromEntries(all), expected }
}

it('is planned by what it will learn from, at most', () => {
  expect(plans(rft.stages)).toMatchObject({ rft: { steps: 24, trained: 3 * 80 * 100 }, expected: { arms: 2 } })
  expect(plans(imitation.stages)).toMatchObject({
    expert: { episodes: 40, seconds: 0 },
    imitation: { steps: 12, trained: 3 * 40 * 100, seconds: 3 * 40 * 2 },
  })
  // 200 states, six answers in each; 40 conversations, 200 next states of the expert and 600 of its own.
  expect(plans(implicitWorldModel.stages)).toMatchObject({
    alternatives: { sampled: (200 * 6 * 10) / 5 },
    iwm: { steps: 100, shows: 'episode' },
  })
})

it('can be placed elsewhere, and says what it learns', () => {
  const stage = sftStage({ learns: ['expert actions', 'next states'] })
  expect(stage).toMatchObject({ name: 'sft', title: 'Supervised fine-tuning on expert actions and next states' })
  expect(stage.placed!({ name: 'b', from: 'rft' })).toMatchObject({
    name: 'b',
    options: { learns: ['expert actions', 'next states'], from: 'rft' },
  })
})

it('hands on what it started from where there is nothing to learn from', async () => {
  const warnings: string[] = []
  const { config } = resolveConfig(miniPreset, {})
  const context = { config, trainer: {}, warn: (line: string) => warnings.push(line) } as unknown as StageContext
  const handed: Artifacts = {
    models: new Map([['rl', 'checkpoints/rl']]),
    arms: [{ arm: 'after RL', path: 'checkpoints/rl', reasoning: true }],
  }
  const stage = sftStage({ name: 'later', learns: [], from: 'rl', curve: [1] })
  const { notes } = await stage.run(context, handed)
  expect(notes[0]).toBe('left out: there is nothing to learn from')
  expect(notes[1]).toMatch(/nothing was trained/)
  expect(warnings).toHaveLength(1)
  expect(handed.models.get('later')).toBe('checkpoints/rl')
  expect(handed.arms.at(-1)).toEqual({ arm: 'after later', path: 'checkpoints/rl', reasoning: true })
})
