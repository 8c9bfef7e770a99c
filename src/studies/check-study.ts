import { z } from 'zod'
import { fieldName, nearest, plainFault, UserError } from '../core/index.ts'
import { checkExperiment, stageSchema } from '../methods/index.ts'
import { armsOfStudy, type Study } from './study.ts'

const stages = z.array(stageSchema)

const arm = z.union([
  stages,
  z.strictObject({ stages, settings: z.looseObject({}).optional(), seeds: z.int().min(1).optional() }),
])

const study = z.strictObject({
  experiment: z.looseObject({}).optional(),
  seeds: z.array(z.int().min(0)).min(1),
  arms: z.record(z.string().min(1), arm),
  compare: z
    .array(z.union([z.tuple([z.string(), z.string()]), z.tuple([z.string(), z.string(), z.string()])]))
    .optional(),
  evaluate: z.union([stageSchema, stages]).optional(),
  primary: z.string().min(1).optional(),
  spread: z.union([z.number().positive().max(100), z.string().min(1)]).optional(),
  out: z.string().min(1).optional(),
})

/** How a part of a study is written. */
const WRITTEN: Record<string, string> = {
  seeds: 'whole numbers, such as seeds: [101, 102, 103]',
  arms: "by name a list of stages, such as 'policy RL': [policyStage()], or { stages, settings, seeds }",
  compare: "pairs of arms, such as [['policy RL', 'RWML → policy RL', 'Does RWML help?']]",
  evaluate: 'a stage, or a list of stages',
  spread: 'points above 0, or the folder of an earlier study',
}

/**
 * What a study file exports, checked as far as that can be done without running it; `where` names the file.
 * @throws UserError for the first thing that is wrong, and how it is written.
 */
export function checkStudy(value: unknown, where: string): Study {
  const wrong = (words: string) => new UserError(`${where}: ${words}`, 2)
  const hollow = Object.entries(value ?? {}).find(([key, given]) => given === undefined && key in study.shape)
  if (hollow) throw wrong(`${hollow[0]} is undefined: give it a value, or leave it out`)
  const checked = study.safeParse(value)
  if (!checked.success) throw wrong(faultOf(checked.error.issues[0]))
  // The object itself and not its copy: an environment may be an instance of a class.
  const given = value as Study
  if (given.experiment) {
    for (const key of ['method', 'out'])
      if (key in given.experiment) throw wrong(`the experiment of a study has no ${key}: its arms say what is trained`)
    checkExperiment(given.experiment, `${where}, experiment`)
  }
  checkNames(given, wrong)
  return given
}

function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    const [key] = issue.keys
    const near = nearest(key, Object.keys(study.shape))
    const meant = near === null ? '' : `did you mean "${near}"? `
    return `a study has no field "${key}"; ${meant}It has ${Object.keys(study.shape).join(', ')}`
  }
  const [part] = issue.path
  const place = part === 'arms' && issue.path.length > 1 ? `the arm "${String(issue.path[1])}"` : fieldName(issue.path)
  const written = WRITTEN[String(part)] ? `; ${String(part)} is ${WRITTEN[String(part)]}` : ''
  const words = issue.code === 'invalid_union' ? 'is not written as it should be' : plainFault(issue).words
  return `${place || 'the study'} ${words}${written}`
}

/** Names that have to be there, and there once. */
function checkNames(given: Study, wrong: (words: string) => UserError): void {
  const { seeds, compare = [] } = given
  const twice = seeds.find((seed, i) => seeds.indexOf(seed) < i)
  if (twice !== undefined) throw wrong(`the seed ${twice} stands there twice`)
  const arms = armsOfStudy(given)
  if (arms.length === 0) throw wrong(`arms is empty; arms is ${WRITTEN.arms}`)
  const tooMany = arms.find((one) => one.seeds > seeds.length)
  if (tooMany) throw wrong(`the arm "${tooMany.arm}" asks for ${tooMany.seeds} seeds, and there are ${seeds.length}`)
  const names = arms.map(({ arm }) => arm)
  for (const [first, second] of compare) {
    const unknown = [first, second].find((name) => !names.includes(name))
    if (unknown !== undefined) {
      const near = nearest(unknown, names)
      const meant = near === null ? `there are ${names.join(', ')}` : `did you mean "${near}"?`
      throw wrong(`compare names the arm "${unknown}", which there is not; ${meant}`)
    }
    if (first === second) throw wrong(`compare holds "${first}" against itself`)
  }
}
