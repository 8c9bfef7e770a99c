import type { Agent } from '../agents/index.ts'
import { type Trajectory, transitionsOf } from '../core/index.ts'
import type { Environment } from '../environments/index.ts'
import { summariseFacts } from './episode-facts.ts'
import type { PolicyResult } from './result.ts'
import { wastedSteps } from './wasted.ts'

const isSolved = (trajectory: Trajectory): boolean => (trajectory.reward ?? 0) > 0

/** Success, wasted steps and format of the evaluation runs on one split; `runs[r]` holds run r's trajectories. */
export function policyResult(
  split: string,
  runs: Trajectory[][],
  environment: Environment,
  agent: Agent,
): PolicyResult {
  // An episode that broke for a reason that is not the agent's is neither a success nor a failure of it; it is counted.
  const counted = runs.map((run) => run.filter(({ failed }) => failed === undefined))
  const all = counted.flat()
  const turns = all.flatMap((trajectory) => trajectory.turns)
  const solved = all.filter(isSolved)
  const grounded = environment.grounded
    ? all.flatMap(transitionsOf).flatMap((transition) => environment.grounded!(transition) ?? [])
    : []
  const byKind: PolicyResult['byKind'] = {}
  for (const trajectory of all) {
    byKind[trajectory.task.kind] ??= { solved: 0, episodes: 0 }
    byKind[trajectory.task.kind].episodes++
    if (isSolved(trajectory)) byKind[trajectory.task.kind].solved++
  }
  const share = (count: number, of: number) => (of === 0 ? 0 : count / of)
  return {
    split,
    tasks: runs[0]?.length ?? 0,
    successByRun: counted.map((run) => share(run.filter(isSolved).length, run.length)),
    invalidShare: share(turns.filter((turn) => !turn.valid).length, turns.length),
    stepsPerSolved:
      solved.length === 0
        ? null
        : share(
            solved.reduce((sum, one) => sum + one.turns.length, 0),
            solved.length,
          ),
    byKind,
    grounding: grounded.length === 0 ? null : share(grounded.filter(Boolean).length, grounded.length),
    parseRate: share(turns.filter((turn) => agent.parseAction(turn.reply).wellFormed).length, turns.length),
    shortened: all.reduce((sum, { shortened = 0 }) => sum + shortened, 0),
    outgrown: all.filter(({ outgrown }) => outgrown).length,
    failed: runs.flat().length - all.length,
    facts: summariseFacts(runs.flat()),
    episodes: counted.flatMap((run, index) =>
      run.map((trajectory) => ({
        taskId: trajectory.task.id,
        kind: trajectory.task.kind,
        run: index,
        solved: isSolved(trajectory),
        steps: trajectory.turns.length,
        invalid: trajectory.turns.filter((turn) => !turn.valid).length,
        wasted: wastedSteps(trajectory).filter(Boolean).length,
      })),
    ),
  }
}
