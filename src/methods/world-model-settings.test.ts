/** What the world model's settings and controls do, on the shipped miniature: a few households, a few steps. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answer } from '../services/testing/reply.ts'
import { closeAfterEach, serverFor, serviceAt } from '../services/testing/service.ts'
import {
  actionValidity,
  collectStage,
  evaluateStage,
  filterStage,
  policyStage,
  type RewardOptions,
  rewardBy,
  rewardStage,
  type Stage,
  worldModelSftStage,
  worldModelStage,
} from '../stages/index.ts'
import { type Method, randomData } from './method.ts'
import { play, root } from './testing/tiny-run.ts'

closeAfterEach()
const weights = (folder: string) => readFileSync(join(folder, 'model.safetensors'))
const notes = (out: string, stage: string): string[] =>
  JSON.parse(readFileSync(join(out, 'stages', stage, 'stage.json'), 'utf8')).notes

describe('arms of one run', () => {
  it('learn with and without reasoning, from traces, other targets, the environment’s tokens, and controls', async () => {
    const short = { settings: { maxSteps: 2 } }
    const stages: Stage[] = [
      collectStage,
      rewardStage,
      filterStage,
      worldModelStage(),
      worldModelStage({ name: 'bare', arm: 'RWML without reasoning', settings: { reasoning: false, maxSteps: 2 } }),
      worldModelStage({ name: 'permuted', arm: 'permuted', teaches: 'permuted advantages', ...short }),
      worldModelStage({ name: 'valid', arm: 'validity', target: actionValidity, ...short }),
      worldModelSftStage({ name: 'plain', arm: 'WM SFT' }),
      worldModelSftStage({
        name: 'pulled',
        arm: 'WM SFT, KL',
        settings: { kl: { coefficient: 1, estimator: 'k3' } },
      }),
      worldModelSftStage({ name: 'traced', arm: 'WM SFT, traces', traces: { from: 'world-model-rl', draws: 2 } }),
      worldModelSftStage({ name: 'question', arm: 'SFT on validity', target: actionValidity }),
      policyStage({ from: 'permuted', settings: { environmentTokens: 0.1 } }),
      evaluateStage({ splits: ['unseen'] }),
    ]
    const { out, artifacts, of, warnings } = await play('arms', { name: 'arms', stages })
    const found = new Map(artifacts.evaluation?.arms.map((arm) => [arm.arm, arm]))

    // Asked as each was trained; what starts from a control is one.
    expect([...found].map(([arm, { reasoning, control }]) => [arm, reasoning, control])).toEqual([
      ['base', true, undefined],
      ['after world-model RL', true, undefined],
      ['RWML without reasoning', false, undefined],
      ['permuted', true, 'permuted advantages'],
      ['validity', true, undefined],
      ['WM SFT', false, undefined],
      ['WM SFT, KL', false, undefined],
      ['WM SFT, traces', true, undefined],
      ['SFT on validity', false, undefined],
      ['after policy RL', true, 'permuted advantages'],
    ])
    // The same samples as world-model RL in the first step, and another update.
    expect(of('permuted')[0].reward).toBe(of('world-model-rl')[0].reward)
    expect(of('permuted')[0].gradientNorm).not.toBe(of('world-model-rl')[0].gradientNorm)
    // The pull costs nothing before anything has moved, and holds the model back after.
    expect(of('pulled')[0].kl).toBeCloseTo(0, 6)
    expect(of('pulled')[2].kl).toBeGreaterThan(0)
    expect(of('plain')[0].kl).toBeUndefined()
    const [traced] = notes(out, 'traced').slice(1)
    expect(traced).toMatch(/^[1-9]\d* of \d+ transitions have a reasoning that earned the reward$/)
    expect(of('traced').at(-1)?.loss).toBeGreaterThan(0)
    expect(notes(out, 'valid')[1]).toMatch(/^action validity: asked of (\d+) of \1 transitions$/)
    // A question that it has never been asked is learned as a label.
    expect(of('question').at(-1)?.loss).toBeLessThan(of('question')[0].loss)
    for (const line of of('policy-rl')) {
      expect(line.environmentTokens).toBeGreaterThan(0)
      expect(line.environmentLoss).toBeGreaterThan(0)
    }
    expect(warnings.filter((line) => line.includes('environmentTokens'))).toEqual([])
  }, 120_000)
})

describe('methods that are controls', () => {
  it('random data is what admissible actions led to', async () => {
    const { artifacts, out } = await play('random', randomData, {}, { until: 'world-model-rl' })
    const { counts, train } = artifacts.collected!
    expect(counts).toMatchObject({ episodes: 6, valid: counts.transitions })
    expect(train.every(({ valid }) => valid)).toBe(true)
    expect(existsSync(join(out, 'rollouts', 'collect-random.jsonl'))).toBe(true)
  }, 60_000)
})

describe('a judge', () => {
  it('rewards world-model RL, resumes to the same weights, and is never asked twice', async () => {
    const server = await serverFor(({ body }) => {
      const said = String((body.messages[1] ?? body.messages[0]).content)
      // Unreadable now and then; pleased by predictions that hold a "d".
      if (said.length % 7 === 0) return answer('I like it.')
      return answer(`Score: ${/Predicted: .*d/.test(said) ? 1 : 0}`)
    })
    const settings = { 'reward.kind': 'judge', 'worldModel.maxSteps': 3 }
    const method = (cache: string): Method => {
      const options: RewardOptions = { judge: serviceAt(server.url, {}, { cacheFolder: join(root, cache) }) }
      return { name: 'judged', stages: [collectStage, rewardBy(options), filterStage, worldModelStage()] }
    }
    const whole = await play('judged', method('a'), settings)
    const lines = whole.of('world-model-rl')
    expect(lines).toHaveLength(3)
    expect(lines.reduce((sum, { unread = 0 }) => sum + unread, 0)).toBeGreaterThan(0)
    expect(Math.max(...lines.map(({ reward }) => reward))).toBeGreaterThan(0)
    const asked = server.requests.length
    await play('judged', method('a'), settings, { resume: true })
    expect(server.requests.length).toBe(asked)

    await play('judged-again', method('b'), settings, { until: 'filter' })
    const again = await play('judged-again', method('b'), settings, { resume: true })
    const model = (run: typeof whole) => weights(run.artifacts.models.get('world-model-rl')!)
    expect(model(again).equals(model(whole))).toBe(true)
  }, 60_000)
})
