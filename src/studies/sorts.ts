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
  /** Settings, or groups of them, that decide what it leaves, beside those that every stage reads. */
  reads: readonly string[]
}

/** The sort of stage that measures success. */
export const EVALUATION = 'Evaluate on held-out tasks'

const TRIPLETS = ['collect', 'reward', 'filter']

/** What decides how anything is played at all. */
export const READ_BY_ALL: readonly string[] = ['seed', 'environment', 'model', 'agent']

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
  [EVALUATION]: { needs: ['collect', 'reward'], reads: ['evaluate', 'worldModel.maxTokens'] },
}

/** What sort of stage it is: its title up to the first comma, behind which a title says what is varied. */
export const sortOf = ({ title }: Pick<Stage, 'title'>): string => title.split(',')[0]

/** Names of the preparing stages that have to have run before this one. */
export function needsOf(stage: Stage): readonly string[] {
  const { needs } = SORTS[sortOf(stage)] ?? { needs: TRIPLETS }
  return stage.options.unfiltered === true ? needs.filter((name) => name !== filterStage.name) : needs
}

/** Settings that decide what the stage leaves; null: all. */
export function readsOf(stage: Stage): readonly string[] | null {
  const sort = SORTS[sortOf(stage)]
  return sort ? [...READ_BY_ALL, ...sort.reads] : null
}
