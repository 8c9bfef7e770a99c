import { alfworldEnvironment, type Environment } from '../../src/environments/index.ts'
import type { Method } from '../../src/methods/index.ts'
import {
  collectStage,
  evaluateStage,
  filterStage,
  interleavedStage,
  policyStage,
  rewardStage,
  worldModelSftStage,
  worldModelStage,
} from '../../src/stages/index.ts'

/** Policy steps of every arm that is compared at equal steps. */
export const STEPS = 20

/** Policy steps that cost what collection, filter and world-model RL cost beside `STEPS`: policy RL at equal compute. */
export const EQUAL_COMPUTE_STEPS = 75

const CURVE = [5, 10]
const policy = { settings: { steps: STEPS }, curve: CURVE }

/** A quarter of the preset's learning rate: with the whole, world-model RL unlearned a third of the play before policy RL began. */
const worldModel = { settings: { learningRate: 5e-5 } }

/** In turns nothing is lost at the preset's rate, and all transitions did a little better than the filtered ones. */
const inTurns = {
  unfiltered: true,
  settings: { maxSteps: 60 },
  policySettings: policy.settings,
  curve: CURVE,
}

/** One arm of the comparison: its name, and the stages that it pays for. */
export interface StudyArm {
  arm: string
  /** Its name among the evaluated checkpoints. */
  evaluated: string
  policySteps: number
  paysFor: string[]
}

/** Success along the policy steps of one arm. */
export interface Curve {
  name: string
  /** From its start, which has no policy step, to its end. */
  points: { steps: number; evaluated: string }[]
}

const curve = (name: string, start: string, arm: string, end: number, at: readonly number[]): Curve => ({
  name,
  points: [
    { steps: 0, evaluated: start },
    ...at.map((steps) => ({ steps, evaluated: `${arm}, step ${steps}` })),
    { steps: end, evaluated: arm },
  ],
})

const OWN_PLAY = ['collect', 'reward', 'filter']

export const ARMS: readonly StudyArm[] = [
  { arm: 'base', evaluated: 'base', policySteps: 0, paysFor: [] },
  { arm: 'RWML', evaluated: 'RWML', policySteps: 0, paysFor: [...OWN_PLAY, 'rwml'] },
  { arm: 'policy RL', evaluated: `policy RL, equal compute, step ${STEPS}`, policySteps: STEPS, paysFor: ['policy'] },
  {
    arm: 'policy RL, equal compute',
    evaluated: 'policy RL, equal compute',
    policySteps: EQUAL_COMPUTE_STEPS,
    paysFor: ['policy'],
  },
  {
    arm: 'RWML → policy RL',
    evaluated: 'RWML → policy RL',
    policySteps: STEPS,
    paysFor: [...OWN_PLAY, 'rwml', 'rwml-policy'],
  },
  {
    arm: 'WM SFT → policy RL',
    evaluated: 'WM SFT → policy RL',
    policySteps: STEPS,
    paysFor: [...OWN_PLAY, 'sft', 'sft-policy'],
  },
  {
    arm: 'mismatched → policy RL',
    evaluated: 'mismatched → policy RL',
    policySteps: STEPS,
    paysFor: [...OWN_PLAY, 'mismatched', 'mismatched-policy'],
  },
  {
    arm: 'interleaved',
    evaluated: 'interleaved',
    policySteps: STEPS,
    paysFor: ['collect', 'reward', 'interleaved'],
  },
  {
    arm: 'interleaved, mismatched',
    evaluated: 'interleaved, mismatched',
    policySteps: STEPS,
    paysFor: ['collect', 'reward', 'interleaved-mismatched'],
  },
]

const LONG_CURVE = [...CURVE, STEPS]

export const CURVES: readonly Curve[] = [
  curve('policy RL', 'base', 'policy RL, equal compute', EQUAL_COMPUTE_STEPS, LONG_CURVE),
  curve('RWML → policy RL', 'RWML', 'RWML → policy RL', STEPS, CURVE),
  curve('WM SFT → policy RL', 'WM SFT', 'WM SFT → policy RL', STEPS, CURVE),
  curve('mismatched → policy RL', 'mismatched', 'mismatched → policy RL', STEPS, CURVE),
  curve('interleaved', 'base', 'interleaved', STEPS, CURVE),
  curve('interleaved, mismatched', 'base', 'interleaved, mismatched', STEPS, CURVE),
]

/** All arms of one seed as one method: what they share is computed once. */
export function studyMethod(games: Environment | null): Method {
  const mismatched = { ...worldModel, teaches: 'mismatched targets' } as const
  return {
    name: 'mini-study',
    stages: [
      collectStage,
      rewardStage,
      filterStage,
      // One long run of policy RL is both comparisons: its checkpoint at `STEPS`, and its end.
      policyStage({
        name: 'policy',
        arm: 'policy RL, equal compute',
        settings: { steps: EQUAL_COMPUTE_STEPS },
        curve: LONG_CURVE,
      }),
      worldModelStage({ ...worldModel, name: 'rwml', arm: 'RWML' }),
      policyStage({ ...policy, name: 'rwml-policy', from: 'rwml', arm: 'RWML → policy RL' }),
      worldModelSftStage({ name: 'sft', arm: 'WM SFT' }),
      policyStage({ ...policy, name: 'sft-policy', from: 'sft', arm: 'WM SFT → policy RL' }),
      worldModelStage({ ...mismatched, name: 'mismatched', arm: 'mismatched' }),
      policyStage({ ...policy, name: 'mismatched-policy', from: 'mismatched', arm: 'mismatched → policy RL' }),
      interleavedStage({ ...inTurns, name: 'interleaved', arm: 'interleaved' }),
      interleavedStage({
        ...inTurns,
        teaches: 'mismatched targets',
        name: 'interleaved-mismatched',
        arm: 'interleaved, mismatched',
      }),
      evaluateStage({ splits: ['unseen'], settings: { tasks: 300, runs: 2 } }),
      ...(games === null
        ? []
        : [
            evaluateStage({
              name: 'games',
              environment: games,
              arms: ARMS.map(({ evaluated }) => evaluated),
              settings: { maxSteps: 30, tasks: 0, runs: 1, transitions: 300 },
            }),
          ]),
    ],
  }
}

/** ALFWorld's own valid_seen and valid_unseen games. */
export const gamesOf = (data: string): Environment => alfworldEnvironment({ data, warn: () => {} })
