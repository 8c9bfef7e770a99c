/**
 * `npm run study:mini [-- --only SEED | --resume]`: what the paper compares, on the miniature, with its controls and ablations; hours.
 * Settings were chosen on training layouts (docs/results/mini-choices.md) and seeds are ones that nothing was looked at on. ALFWorld's
 * own games are a second look where `ALFWORLD_DATA` names them.
 */
import {
  alfworldEnvironment,
  defineStudy,
  evaluateStage,
  interleavedStage,
  policyStage,
  weightChangeStage,
  worldModelSftStage,
  worldModelStage,
} from 'rwml'

/** A quarter of the preset's learning rate: with the whole, world-model RL unlearned a third of the play before policy RL began. */
const worldModel = { settings: { learningRate: 5e-5 } }
const policy = policyStage({ settings: { steps: 20 }, curve: [5, 10] })
const inTurns = interleavedStage({
  unfiltered: true,
  settings: { maxSteps: 60 },
  policySettings: { steps: 20 },
  curve: [5, 10],
})

const data = process.env.ALFWORLD_DATA
const games = data
  ? [
      evaluateStage({
        name: 'games',
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
  arms: {
    base: [],
    'WM SFT': [worldModelSftStage()],
    RWML: [worldModelStage(worldModel)],
    'policy RL': [policy],
    // As many steps as cost what collection, filter and world-model RL cost beside 20.
    'policy RL, equal compute': [policyStage({ settings: { steps: 75 }, curve: [5, 10, 20] })],
    'WM SFT → policy RL': [worldModelSftStage(), policy],
    'RWML → policy RL': [worldModelStage(worldModel), policy],
    'mismatched → policy RL': [worldModelStage({ ...worldModel, teaches: 'mismatched targets' }), policy],
    interleaved: [inTurns],
    'no subsampling': { stages: [worldModelStage({ ...worldModel, unfiltered: true })], seeds: 3 },
    'coin-flip reward': { stages: [worldModelStage({ ...worldModel, teaches: 'coin flip' })], seeds: 3 },
    'continuous reward': {
      stages: [worldModelStage(worldModel)],
      settings: { reward: { mode: 'continuous' } },
      seeds: 3,
    },
    'exact reward': { stages: [worldModelStage(worldModel)], settings: { reward: { kind: 'exact' } }, seeds: 3 },
    'τ_d = 0.2': { stages: [worldModelStage(worldModel)], settings: { reward: { threshold: 0.2 } }, seeds: 3 },
    'K = 10': { stages: [worldModelStage(worldModel)], settings: { filter: { draws: 10 } }, seeds: 3 },
    'β = 0': {
      stages: [worldModelStage(worldModel)],
      settings: { worldModel: { kl: { coefficient: 0 } } },
      seeds: 3,
    },
    'β = 0.1': {
      stages: [worldModelStage(worldModel)],
      settings: { worldModel: { kl: { coefficient: 0.1 } } },
      seeds: 3,
    },
  },
  compare: [
    ['policy RL', 'RWML → policy RL', 'Does RWML help policy RL, at equal policy steps?'],
    ['policy RL, equal compute', 'RWML → policy RL', 'And at equal compute?'],
    ['mismatched → policy RL', 'RWML → policy RL', 'Is it the world that is learned?'],
    ['WM SFT → policy RL', 'RWML → policy RL', 'Is it the reinforcement?'],
    ['policy RL', 'interleaved', 'Does interleaving help?'],
    ['base', 'RWML', 'Does RWML alone help?'],
  ],
  evaluate: [evaluateStage({ splits: ['unseen'], settings: { tasks: 300, runs: 2 } }), ...games, weightChangeStage()],
})
