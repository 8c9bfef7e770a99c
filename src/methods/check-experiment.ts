import { z } from 'zod'
import { fieldName, nearest, plainFault, UserError } from '../core/index.ts'
import type { Experiment } from './experiment.ts'

/** A method of something given in code: only that it is there and can be called can be checked beforehand. */
const callable = z.custom((value) => typeof value === 'function', 'must be a function')

const environment = z.looseObject({
  name: z.string().min(1),
  splits: callable,
  tasks: callable,
  open: callable,
  recorded: callable.optional(),
  planner: callable.optional(),
  transitionKind: callable.optional(),
  grounded: callable.optional(),
  variants: callable.optional(),
})

const agent = z.looseObject({
  name: z.string().min(1),
  showsActions: z.boolean(),
  playMessages: callable,
  playTools: callable.optional(),
  parseAction: callable,
  actionLabel: callable.optional(),
  target: callable.optional(),
  predictMessages: callable,
  parsePrediction: callable,
  predictionLabel: callable,
})

const engine = z.looseObject({
  description: z.string(),
  identity: z.looseObject({}),
  open: callable,
  inspect: callable,
})

/** A stage of a method that is given in code. */
export const stageSchema = z.looseObject({
  name: z.string().min(1),
  title: z.string(),
  options: z.looseObject({}),
  check: callable.optional(),
  run: callable,
})

const experiment = z.strictObject({
  preset: z.string().optional(),
  method: z
    .union([z.string(), z.looseObject({ name: z.string().min(1), stages: z.array(stageSchema).min(1) })])
    .optional(),
  environment: environment.optional(),
  agent: agent.optional(),
  engine: engine.optional(),
  out: z.string().min(1).optional(),
  settings: z.looseObject({}).optional(),
})

/** Where to read on about a part of an experiment. */
const SEE: Record<string, string> = {
  environment: 'see docs/own-environment.md',
  agent: 'see the Agent interface in docs/api.md',
  engine: 'an engine is what tinkerEngine({ … }) gives: see docs/tinker.md',
  method: 'a method is a name or { name, stages }',
}

/**
 * What an experiment file exports, checked as far as that can be done without running it; `where` names the file.
 * @throws UserError for the first thing that is wrong: the field, what it has to be, and the nearest name of an unknown one.
 */
export function checkExperiment(value: unknown, where: string): Experiment {
  // A misspelt look-up gives undefined: without this it would quietly train on the preset's environment.
  const hollow = Object.entries(value ?? {}).find(([key, given]) => given === undefined && key in experiment.shape)
  if (hollow) throw new UserError(`${where}: ${hollow[0]} is undefined: give it a value, or leave it out`, 2)
  const checked = experiment.safeParse(value)
  // The object itself and not its copy: an environment may be an instance of a class.
  if (checked.success) return value as Experiment
  throw new UserError(`${where}: ${faultOf(checked.error.issues[0], value)}`, 2)
}

function faultOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'unrecognized_keys') {
    const [key] = issue.keys
    const known = Object.keys(experiment.shape)
    const near = nearest(key, known)
    const meant = near === null ? '' : `did you mean "${near}"? `
    return `an experiment has no field "${key}"; ${meant}It has ${known.join(', ')}`
  }
  const { path, words } = plainFault(issue)
  const [part] = path
  const see = SEE[String(part)] ? `; ${SEE[String(part)]}` : ''
  const found = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value)
  const reason = found === undefined && words !== 'is missing' ? `is missing: it ${words}` : words
  return `${fieldName(path) || 'the experiment'} ${reason}${see}`
}
