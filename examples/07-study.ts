/**
 * A small study: which method is better, on three seeds of the miniature, with tests and the smallest difference that they could show.
 *
 *     npx rwml study examples/07-study.ts --dry       # which runs, how long, and what they could show
 *     npx rwml study examples/07-study.ts             # Ctrl-C, then --resume
 *     npx rwml report runs/07-study                   # tables and figures again, in seconds
 *
 * How a study is written: docs/studies.md.
 */
import { defineStudy, policyStage, worldModelSftStage, worldModelStage } from 'rwml'

const policy = policyStage({ settings: { steps: 20 }, curve: [5, 10] })

export default defineStudy({
  experiment: { preset: 'mini', settings: { environment: { tasks: { unseen: 100, seen: 20 } } } },
  seeds: [1, 2, 3],
  arms: {
    base: [],
    'policy RL': [policy],
    'WM SFT → policy RL': [worldModelSftStage(), policy],
    RWML: [worldModelStage()],
    'RWML → policy RL': [worldModelStage(), policy],
    // The same with other settings, and with another stage: on two seeds.
    'K = 2': { stages: [worldModelStage()], settings: { filter: { draws: 2 } }, seeds: 2 },
    'no subsampling': { stages: [worldModelStage({ unfiltered: true })], seeds: 2 },
  },
  compare: [
    ['policy RL', 'RWML → policy RL', 'Does RWML help policy RL?'],
    ['WM SFT → policy RL', 'RWML → policy RL', 'Is it the reinforcement?'],
  ],
})
