import { join } from 'node:path'
import { UserError } from '../core/index.ts'
import { dotted, type Experiment, type Method, modelFolder, settingsOf } from '../methods/index.ts'
import type { ResolvedConfig } from '../stages/index.ts'
import { canonicalJson } from '../store/index.ts'
import { fingerprints } from './sharing.ts'
import { armsOfStudy, type Study } from './study.ts'
import { evaluationOf, type Tree, treeOf } from './tree.ts'

/** Arms with the same settings: within it, one run a seed trains all of them. */
export interface World {
  /** `main` where the settings are the experiment's own. */
  name: string
  /** Laid over them, by dotted path. */
  settings: Record<string, unknown>
  arms: { arm: string; seeds: number }[]
  tree: Tree
  method: Method
}

/** One run folder. */
export interface StudyRun {
  world: World
  seed: number
  resolved: ResolvedConfig
  /** Of what each of its stages leaves: see `fingerprints`. */
  prints: Map<string, string>
}

export interface StudyPlan {
  study: Study
  experiment: Experiment
  worlds: World[]
  /** The first seed of every world before the second of any: what fails, fails early. */
  runs: StudyRun[]
}

export const MAIN = 'main'

/** Every run of a study. @param overrides settings of the command line; an arm's own win over them */
export function planStudy(study: Study, overrides: Record<string, unknown> = {}): StudyPlan {
  const experiment: Experiment = study.experiment ?? {}
  if ('seed' in { ...experiment.settings, ...overrides }) {
    throw new UserError('seed is not a setting of a study: its seeds are what it lists as seeds', 2)
  }
  const worlds = worldsOf(study)
  const runs: StudyRun[] = []
  for (const [index, seed] of study.seeds.entries()) {
    for (const world of worlds) {
      // A world's run trains all of its arms, or, where they are of different numbers of seeds, as many as have this one.
      const arms = world.arms.filter(({ seeds }) => index < seeds)
      if (arms.length === 0) continue
      const own = arms.length === world.arms.length ? world : worldOf(study, world.name, world.settings, arms)
      const resolved = settingsOf(experiment, { ...overrides, ...world.settings, seed })
      runs.push({ world: own, seed, resolved, prints: fingerprints(own.tree, resolved.config) })
    }
  }
  return { study, experiment, worlds, runs }
}

/** Every set of settings has a model to start from. @throws UserError that names an arm of one that has none */
export function checkModels({ worlds, runs }: StudyPlan): void {
  for (const world of worlds) {
    const run = runs.find((one) => one.world.name === world.name)
    if (!run) continue
    try {
      modelFolder(run.resolved.config.model.path)
    } catch (error) {
      throw error instanceof UserError ? new UserError(`the arm "${world.arms[0].arm}": ${error.message}`) : error
    }
  }
}

function worldsOf(study: Study): World[] {
  const groups = new Map<string, { settings: Record<string, unknown>; arms: { arm: string; seeds: number }[] }>()
  for (const { arm, settings = {}, seeds } of armsOfStudy(study)) {
    const own = dotted(settings)
    if ('seed' in own) throw new UserError(`the arm "${arm}" sets seed: its seeds are the study's`, 2)
    const key = canonicalJson(own)
    const group = groups.get(key) ?? { settings: own, arms: [] }
    groups.set(key, group)
    group.arms.push({ arm, seeds })
  }
  const taken = new Set<string>([MAIN])
  const worlds = [...groups.values()].map(({ settings, arms }) => {
    let name = MAIN
    if (Object.keys(settings).length > 0) {
      const plain = folderName(arms[0].arm)
      name = plain
      for (let i = 2; taken.has(name); i++) name = `${plain}-${i}`
      taken.add(name)
    }
    return worldOf(study, name, settings, arms)
  })
  // The main one first: others take over from it.
  return worlds.sort((a, b) => Number(b.name === MAIN) - Number(a.name === MAIN))
}

function worldOf(
  study: Study,
  name: string,
  settings: Record<string, unknown>,
  arms: { arm: string; seeds: number }[],
): World {
  const all = armsOfStudy(study)
  const chains = arms.map(({ arm }) => ({ arm, stages: all.find((one) => one.arm === arm)!.stages }))
  const tree = treeOf(chains, evaluationOf(study.evaluate))
  return { name, settings, arms, tree, method: { name: `study, ${name}`, stages: tree.stages } }
}

/** A name as part of a path. */
function folderName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
  return /\p{L}/u.test(plain) ? plain : `arm-${plain}`
}

export const runFolder = (out: string, { world, seed }: Pick<StudyRun, 'seed'> & { world: Pick<World, 'name'> }) =>
  join(out, 'runs', world.name, String(seed))

export const recordFile = (out: string, world: string, seed: number) => join(out, 'records', `${world}-${seed}.json`)
