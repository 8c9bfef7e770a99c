/**
 * `npm run study:mini [-- --only SEED | --resume]`: what the paper compares, on the miniature, with its controls and ablations; hours.
 * Settings were chosen on training layouts (docs/results/mini-choices.md) and seeds are ones that nothing was looked at on. ALFWorld's
 * own games are a second look where `ALFWORLD_DATA` names them.
 *
 * The two weaker bases are the same training, cut short:
 *
 *     npm run model:mini -- --steps 1000 --out runs/bases/weak --work runs/bases/weak-work
 *     npm run model:mini -- --steps 2000 --out runs/bases/middle --work runs/bases/middle-work
 */
import {
  alfworldEnvironment,
  alternativesStage,
  defineStudy,
  evaluateStage,
  expertStage,
  forgettingStage,
  policyStage,
  type Study,
  sftStage,
  type WorldModelOptions,
  weightChangeStage,
  worldModelSftStage,
  worldModelStage,
} from 'rwml'

/** A quarter of the preset's learning rate: with the whole, world-model RL unlearned a third of the play before policy RL began. */
const learningRate = 5e-5
const rwml = (options: WorldModelOptions = {}) =>
  worldModelStage({ ...options, settings: { learningRate, ...options.settings } })
const policy = policyStage({ settings: { steps: 20 }, curve: [10] })
const planner = expertStage({ source: 'planner' })

/** What RWML is without one thing, and with another in its place: its world model, and the success of that model as it is. */
const ablations: Study['arms'] = {
  'no subsampling': { stages: [rwml({ unfiltered: true })], seeds: 3 },
  'coin-flip reward': { stages: [rwml({ teaches: 'coin flip' })], seeds: 3 },
  'β = 0': { stages: [rwml({ settings: { kl: { coefficient: 0, estimator: 'k3' } } })], seeds: 3 },
  'β = 0.1': { stages: [rwml({ settings: { kl: { coefficient: 0.1, estimator: 'k3' } } })], seeds: 3 },
  'K = 10': { stages: [rwml()], settings: { filter: { draws: 10 } }, seeds: 3 },
  'continuous reward': { stages: [rwml()], settings: { reward: { mode: 'continuous' } }, seeds: 3 },
  'exact reward': { stages: [rwml()], settings: { reward: { kind: 'exact' } }, seeds: 3 },
  'τ_d = 0.2': { stages: [rwml()], settings: { reward: { threshold: 0.2 } }, seeds: 3 },
  'no reasoning': { stages: [rwml({ settings: { reasoning: false } })], seeds: 3 },
}

/** The same from a base that was trained for a quarter and for half as long. */
const otherBases: Study['arms'] = Object.fromEntries(
  ['weak', 'middle'].flatMap((name): [string, Study['arms'][string]][] => {
    const own = { settings: { model: { path: `runs/bases/${name}` } }, seeds: 3 }
    return [
      [`${name} base: RWML`, { stages: [rwml()], ...own }],
      [`${name} base: policy RL`, { stages: [policy], ...own }],
      [`${name} base: RWML → policy RL`, { stages: [rwml(), policy], ...own }],
    ]
  }),
)

const main: Study['arms'] = {
  base: [],
  'WM SFT': [worldModelSftStage()],
  RWML: [rwml()],
  'policy RL': [policy],
  // As many steps as cost what collection, filter and world-model RL cost beside 20.
  'policy RL, equal compute': [policyStage({ settings: { steps: 75 } })],
  'WM SFT → policy RL': [worldModelSftStage(), policy],
  'RWML → policy RL': [rwml(), policy],
  'mismatched → policy RL': [rwml({ teaches: 'mismatched targets' }), policy],
}

/** WM SFT otherwise: at the rate of RWML, and with the reasoning of the RWML model before the label. */
const supervised: Study['arms'] = {
  'WM SFT, rate of RWML': { stages: [worldModelSftStage({ settings: { learningRate } })], seeds: 3 },
  'WM SFT with reasoning': { stages: [rwml(), worldModelSftStage({ traces: { from: 'world-model-rl' } })], seeds: 3 },
}

const experts: Study['arms'] = {
  RFT: { stages: [sftStage({ learns: ['own successes'] })], seeds: 3 },
  imitation: { stages: [planner, sftStage({ learns: ['expert actions'] })], seeds: 3 },
  'implicit world modelling': {
    stages: [planner, alternativesStage(), sftStage({ learns: ['expert actions', 'next states'] })],
    seeds: 3,
  },
}

const data = process.env.ALFWORLD_DATA
const games = data
  ? [
      evaluateStage({
        name: 'games',
        arms: Object.keys(main),
        environment: alfworldEnvironment({ data, warn: () => {} }),
        settings: { maxSteps: 30, tasks: 0, runs: 1, transitions: 300 },
      }),
    ]
  : []

export default defineStudy({
  experiment: {
    preset: 'mini',
    settings: {
      environment: { tasks: { unseen: 300 } },
      model: { threads: 1 },
      reward: { embedder: 'lexical' },
    },
  },
  seeds: [201, 202, 203, 204, 205],
  arms: { ...main, ...supervised, ...experts, ...ablations, ...otherBases },
  compare: [
    ['policy RL', 'RWML → policy RL', 'Does RWML help policy RL, at equal policy steps?'],
    ['policy RL, equal compute', 'RWML → policy RL', 'And at equal compute?'],
    ['mismatched → policy RL', 'RWML → policy RL', 'Is it the world that is learned?'],
    ['WM SFT → policy RL', 'RWML → policy RL', 'Is it the reinforcement?'],
    ['base', 'RWML', 'Does RWML alone help?'],
  ],
  evaluate: [
    evaluateStage({ splits: ['unseen'], settings: { tasks: 300, runs: 2 } }),
    ...games,
    forgettingStage(),
    weightChangeStage(),
  ],
})
