/**
 * What a study has to know of a stage beside what the stage says itself, by its title: which of the preparing stages it needs, and
 * which settings it reads. A stage that is not listed needs all and reads all: nothing is wrong then, only less is shared.
 */
import { collectStage, filterStage, rewardStage, type Stage } from '../stages/index.ts'

/** Stages that prepare, in their order. */
export const PREPARING: readonly Stage[] = [collectStage, rewardStage, filterStage]

interface Sort {
  /** Names of preparing stages. */
  needs: readonly string[]
  /** Settings, or groups of them, that decide what it leaves, beside those that every stage reads; null: all. */
  reads: readonly string[] | null
}

/** The sort of stage that measures success. */
export const EVALUATION = 'Evaluate on held-out tasks'

const TRIPLETS = ['collect', 'reward', 'filter']

/** What decides how anything is played at all. */
const READ_BY_ALL: readonly string[] = ['seed', 'environment', 'model', 'agent']

const SORTS: Record<string, Sort> = {
  // Which transitions fit the context depends on the room that an answer is given.
  'Collect its own play': { needs: [], reads: ['collect', 'worldModel.maxTokens'] },
  'Choose the reward': { needs: ['collect'], reads: ['reward'] },
  'Drop what is too easy': {
    needs: ['collect', 'reward'],
    reads: ['filter', 'worldModel.maxTokens', 'optimiser'],
  },
  'World-model RL': { needs: TRIPLETS, reads: ['worldModel', 'optimiser'] },
  'World-model SFT': { needs: TRIPLETS, reads: ['worldModelSft', 'optimiser'] },
  'World-model and policy RL in turns': { needs: TRIPLETS, reads: ['worldModel', 'policy', 'collect', 'optimiser'] },
  // Which tasks it plays are those of collection, which it does not wait for.
  'Policy RL': { needs: [], reads: ['policy', 'collect', 'optimiser'] },
  'What an expert does': { needs: [], reads: null },
  'Its own alternatives in the expert’s states': { needs: [], reads: null },
  Reflections: { needs: [], reads: null },
  'Supervised fine-tuning': { needs: ['collect'], reads: null },
  'Benchmarks before and after': { needs: [], reads: null },
  'How far the weights moved': { needs: [], reads: null },
  [EVALUATION]: { needs: ['collect', 'reward'], reads: ['evaluate', 'worldModel.maxTokens', 'worldModel.reasoning'] },
}

/** What sort of stage it is: its title without what follows a comma, a bracket or “with”, which is what is varied. */
export const sortOf = ({ title }: Pick<Stage, 'title'>): string => title.split(/, | \(| with /)[0]

/** What is known of it; a title may also go on with what it works on. */
function knownSort(stage: Stage): Sort | undefined {
  const sort = sortOf(stage)
  return SORTS[sort] ?? SORTS[sort.split(/ on | of /)[0]]
}

/** Names of the preparing stages that have to have run before this one. */
export function needsOf(stage: Stage): readonly string[] {
  const { needs } = knownSort(stage) ?? { needs: TRIPLETS }
  return stage.options.unfiltered === true ? needs.filter((name) => name !== filterStage.name) : needs
}

/** Settings that decide what the stage leaves; null: all. */
export function readsOf(stage: Stage): readonly string[] | null {
  const { traces, target } = stage.options
  // What it is asked, or what it learns from, hangs on settings of other stages.
  const reads = traces || target ? null : (knownSort(stage)?.reads ?? null)
  return reads && [...READ_BY_ALL, ...reads]
}
