import { z } from 'zod'
import { LORA_CHOICES, PROVIDERS } from '../engines/index.ts'
import { GOAL_KINDS } from '../environments/index.ts'
import { unknownSetting, wrongValue } from './config-error.ts'

/** Where a setting's value comes from: the paper (arXiv 2602.05842), our own choice where it is silent, or the user. */
export type Source = 'paper' | 'ours' | 'user'

const share = z.number().min(0).max(1)
const count = z.int().min(1)
const rate = z.number().positive().max(1)
const temperature = z.number().min(0).max(10)

const kl = z.strictObject({
  /** β; 0 = no reference and no KL term. */
  coefficient: z.number().min(0),
  estimator: z.enum(['k1', 'k2', 'k3']),
})

const grpo = {
  learningRate: rate,
  groupSize: z.int().min(2),
  temperature: z.number().positive().max(10),
  maxTokens: count,
  kl,
  clipLow: share,
  clipHigh: z.number().positive(),
  entropy: z.number().min(0),
  advantages: z.strictObject({
    scale: z.enum(['std', 'none']),
    epsilon: z.number().positive(),
    level: z.enum(['trajectory', 'step']),
  }),
  aggregation: z.enum(['tokenMean', 'sequenceMean', 'fixedDenominator']),
  warmupSteps: z.int().min(0),
}

/** Every hyper-parameter of the method, grouped by stage (method description, sections 2 to 5 and 9). */
export const configSchema = z.strictObject({
  seed: z.int().min(0),
  environment: z.strictObject({
    /** An environment given in code keeps its own name; the other settings are ALFWorld's. */
    name: z.string(),
    /** `data`: games from a folder; `generated`: households made from a seed. */
    source: z.enum(['data', 'generated']),
    /** The folder of games; looked for in the usual places when empty. */
    data: z.string(),
    size: z.enum(['small', 'full']),
    /** Tasks of one kind only. */
    kind: z.enum(['all', ...GOAL_KINDS]),
    /** Number of tasks offered in each split when generated. */
    tasks: z.strictObject({ train: count, seen: count, unseen: count }),
  }),
  model: z.strictObject({
    path: z.string(),
    threads: z.int().min(0),
    /** What ONNX Runtime computes with. */
    provider: z.enum(PROVIDERS),
    /** Most tokens in one forward and backward pass; gradients add up over as many as it takes. 0 = by memory. */
    tokenBudget: z.int().min(0),
    /**
     * How many steps older than the weights that learn from them samples may be in RL: more than 0 lets an engine that can sample
     * and train at once do so. 0 = strictly on-policy.
     */
    maxLag: z.int().min(0).max(16),
    /** Train an adapter beside the model's weights, and not the weights. */
    lora: z.strictObject({
      /** 0 = train the weights. */
      rank: z.int().min(0),
      /** The adapter counts by alpha / rank. */
      alpha: z.number().positive(),
      targets: z.enum(Object.keys(LORA_CHOICES) as (keyof typeof LORA_CHOICES)[]),
    }),
  }),
  agent: z.strictObject({
    style: z.enum(['transcript', 'window']),
    /** H, in turns; the transcript style shows all. */
    historyTurns: count,
    showActions: z.boolean(),
    /** Whether a model that can think before it answers (Qwen3) is told to; `template`: as its template has it. */
    thinking: z.enum(['template', 'on', 'off']),
    /**
     * How tools are shown and called where there are any: as the model's template has them, or as text. `auto`: by the template
     * where it can.
     */
    toolCalls: z.enum(['auto', 'template', 'text']),
  }),
  collect: z.strictObject({
    /** Training tasks to play (a seeded sample where there are more), and N attempts at each. */
    tasks: count,
    rollouts: count,
    temperature,
    maxSteps: count,
    maxTokens: count,
    /** Episodes a wave. */
    wave: count,
    /** Share of tasks whose transitions train the filter model and nothing else. */
    filterShare: share,
    /** Share of invalid transitions that train too (the paper: none). */
    invalidShare: share,
    /** At most this many training transitions, a seeded sample; 0 = all. */
    maxTransitions: z.int().min(0),
  }),
  filter: z.strictObject({
    rule: z.enum(['paper', 'band', 'none']),
    /** K predictions a sample. */
    draws: count,
    temperature: z.number().positive(),
    /** Easy: mean reward over the draws above this. */
    easyAbove: share,
    /** The same for what tools return, where a graded reward is seldom 0. */
    easyAboveTools: share,
    keepEasy: share,
    /** `band` only: share kept of samples that the filter model never gets right. */
    keepHopeless: share,
    learningRate: rate,
    batch: count,
    epochs: count,
  }),
  reward: z.strictObject({
    /**
     * `hybrid`: ROUGE-L in fifths for what tools return (JSON only where it is JSON), embedding for all else. `judge`: a chat
     * model, given in code (`rewardBy`), compares prediction and truth.
     */
    kind: z.enum(['embedding', 'exact', 'rouge', 'hybrid', 'judge']),
    /** A name, or the folder of a sentence encoder in ONNX: what has a slash in it. */
    embedder: z
      .string()
      .regex(/^(auto|lexical|use-lite)$|[\\/]/)
      .describe('auto, lexical, use-lite, or the path of a folder with model.onnx ("./minilm")'),
    /** Of `embedding` and `judge`. */
    mode: z.enum(['binary', 'continuous']),
    /** τ_d; 0 = calibrated on training transitions. */
    threshold: z.number().min(0).max(2),
  }),
  worldModel: z.strictObject({
    ...grpo,
    /** Prompts a step. */
    batch: count,
    epochs: count,
    /** Stop after this many steps; 0 = all epochs. */
    maxSteps: z.int().min(0),
    /** Think before predicting; false: the prompt forbids it. */
    reasoning: z.boolean(),
  }),
  /** The supervised rival of world-model RL. */
  worldModelSft: z.strictObject({
    learningRate: rate,
    batch: count,
    epochs: count,
    /** Stop after this many steps; 0 = all epochs. */
    maxSteps: z.int().min(0),
    warmupSteps: z.int().min(0),
    kl: z.strictObject({
      /** β of a pull to the model that the stage starts from, over the labels' tokens; 0 = none. */
      coefficient: z.number().min(0),
      /** k1 would only scale the loss: the labels are not sampled from the model. */
      estimator: z.enum(['k2', 'k3']),
    }),
  }),
  /** Supervision of how to act: RFT, imitation, implicit world modelling, self-reflection. */
  sft: z.strictObject({
    learningRate: rate,
    /** Examples a step: conversations, or single answers where an agent's prompts do not extend each other. */
    batch: count,
    epochs: count,
    /** Stop after this many steps; 0 = all epochs. */
    maxSteps: z.int().min(0),
    warmupSteps: z.int().min(0),
  }),
  policy: z.strictObject({
    ...grpo,
    /** Tasks a step, each played by a group. */
    tasks: count,
    steps: z.int().min(0),
    maxSteps: count,
    /** Taken from the return for each invalid action, as a share of the steps taken. */
    invalidPenalty: z.number().min(0),
    /** α of a cross-entropy on what the environment answers, in the same step; 0 = none. */
    environmentTokens: z.number().min(0),
  }),
  optimiser: z.strictObject({
    beta1: share,
    beta2: share,
    epsilon: z.number().positive(),
    weightDecay: z.number().min(0),
    clipNorm: z.number().min(0),
  }),
  evaluate: z.strictObject({
    temperature,
    maxSteps: count,
    /** How often each task is played; 0 = success is not measured. */
    runs: z.int().min(0),
    /** Tasks of each split at most; 0 = all. */
    tasks: z.int().min(0),
    /** Held-out transitions for world-model accuracy, of each split at most. */
    transitions: z.int().min(0),
  }),
})

export type Config = z.infer<typeof configSchema>

/** A value with its source: how presets are written. */
export class Sourced<T> {
  constructor(
    readonly value: T,
    readonly source: Source,
  ) {}
}
export const paper = <T>(value: T): Sourced<T> => new Sourced(value, 'paper')
export const ours = <T>(value: T): Sourced<T> => new Sourced(value, 'ours')

export type Preset<T> = {
  [K in keyof T]: T[K] extends number | string | boolean ? Sourced<T[K]> : Preset<T[K]>
}

/** One field of a resolved config, by its dotted path. */
export interface ConfigField {
  path: string
  value: number | string | boolean
  source: Source
}

export interface ResolvedConfig {
  config: Config
  fields: ConfigField[]
}

function flatten(preset: object, prefix = ''): ConfigField[] {
  return Object.entries(preset).flatMap(([key, value]): ConfigField[] =>
    value instanceof Sourced
      ? [{ path: prefix + key, value: value.value, source: value.source }]
      : flatten(value, `${prefix}${key}.`),
  )
}

/**
 * A preset with the user's values laid over it (dotted paths), validated; every field says where it comes from.
 * @throws UserError (bad usage) for a setting that there is not, or a value that it cannot have, with what was probably meant.
 */
export function resolveConfig(preset: Preset<Config>, overrides: Record<string, unknown> = {}): ResolvedConfig {
  const fields = flatten(preset)
  const byPath = new Map(fields.map((field) => [field.path, field]))
  for (const [path, value] of Object.entries(overrides)) {
    const field = byPath.get(path)
    if (!field) throw unknownSetting(path, [...byPath.keys()])
    field.value = value as ConfigField['value']
    field.source = 'user'
  }
  const tree: Record<string, unknown> = {}
  for (const { path, value } of fields) {
    const keys = path.split('.')
    let node = tree
    for (const key of keys.slice(0, -1)) {
      node[key] ??= {}
      node = node[key] as Record<string, unknown>
    }
    node[keys[keys.length - 1]] = value
  }
  const parsed = configSchema.safeParse(tree)
  if (!parsed.success) {
    const path = parsed.error.issues[0].path.map(String)
    throw wrongValue(path.join('.'), byPath.get(path.join('.'))?.value, leafAt(path))
  }
  return { config: parsed.data, fields }
}

/** The schema of one setting. */
function leafAt(path: readonly string[]): z.ZodType {
  return path.reduce<z.ZodType>(
    (schema, key) => (schema instanceof z.ZodObject ? (schema.shape[key] as z.ZodType) : schema),
    configSchema,
  )
}
