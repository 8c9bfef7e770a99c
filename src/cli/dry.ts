import { gigabytes, type TokenSequence } from '../core/index.ts'
import { type Experiment, type MethodPlan, methodOf, planMethod, settingsOf } from '../methods/index.ts'
import type { ChatFormat } from '../tokens/index.ts'
import { formatDuration } from './progress.ts'
import { textTable } from './table.ts'

const KINDS = ['episode', 'label', 'prediction'] as const

/** `--dry`: rehearse an experiment and print what it would do; nothing is written and nothing trained. */
export async function dryRun(experiment: Experiment, overrides: Record<string, unknown>, json: boolean): Promise<void> {
  const method = methodOf(experiment)
  const { config } = settingsOf(experiment, overrides)
  const plan = await planMethod(method, config, experiment, (message) => console.error(message))
  const isTerminal = process.stdout.isTTY === true && !process.env.NO_COLOR
  console.log(planText(plan, isTerminal))
  if (json) console.log(JSON.stringify(planJson(plan)))
}

/** Stages, what they take, where the figures come from, and an example of each kind of prompt. */
export function planText(plan: MethodPlan, isTerminal: boolean): string {
  return [
    planTable(plan),
    basis(plan),
    ...KINDS.flatMap((kind) => example(plan, kind, isTerminal)),
    'Nothing was trained and nothing written.',
  ].join('\n\n')
}

function planTable({ stages, engine }: MethodPlan): string {
  const prices = engine?.prices
  const cost = (sampled: number, trained: number) =>
    prices ? [dollars((sampled * prices.sampled + trained * prices.trained) / 1e6)] : []
  const count = (value: number) => (value > 0 ? large(value) : '–')
  const rows = stages.map(({ stage, plan }) =>
    plan
      ? [
          stage.title,
          plan.work,
          count(plan.episodes),
          count(plan.steps),
          count(plan.sampled),
          count(plan.trained),
          time(plan.seconds),
          ...cost(plan.sampled, plan.trained),
        ]
      : [stage.title, 'not estimated', '', '', '', '', '', ''],
  )
  const sum = (key: 'episodes' | 'steps' | 'sampled' | 'trained' | 'seconds') =>
    stages.reduce((total, { plan }) => total + (plan?.[key] ?? 0), 0)
  const total = [
    'all',
    '',
    count(sum('episodes')),
    count(sum('steps')),
    count(sum('sampled')),
    count(sum('trained')),
    time(sum('seconds')),
    ...cost(sum('sampled'), sum('trained')),
  ]
  const headers = [
    'stage',
    'work',
    'episodes',
    'steps',
    'tokens written',
    'tokens trained',
    'time',
    ...(prices ? ['cost'] : []),
  ]
  return textTable({
    columns: headers.map((header, index) => ({ header, align: index < 2 ? 'left' : 'right' })),
    rows: [...rows, total],
  })
}

const dollars = (amount: number): string => (amount > 0 ? `≈ $${amount.toFixed(2)}` : '–')
const time = (seconds: number): string => (seconds > 0 ? `≈ ${formatDuration(seconds)}` : '–')

/** What the figures rest on, and the memory. */
function basis({ rehearsal, parameters, memory, engine, agent }: MethodPlan): string {
  const { episodes, recorded, turns, valid, rewarded, episode, prediction, shown } = rehearsal
  const lines =
    episodes > 0
      ? [
          `Estimated from ${episodes} episodes ${recorded ? 'that were recorded' : 'really played by the base model'}: ${turns.toFixed(1)} steps each, ${percent(valid)} of them valid,`,
          `${episode.sampled.toFixed(0)} tokens written an episode, ${prediction.sampled.toFixed(0)} a prediction.`,
        ]
      : [
          'A rehearsal would take too long here: episodes and answers are taken as long as the settings allow, so this is at most.',
        ]
  return [
    ...lines,
    `Times are from the speed of that small sample ${engine ? `at ${engine.description}` : 'on this machine'} as busy as it is now, so roughly; the filter may leave less to train on.`,
    ...(engine?.prices
      ? ['Cost is what the engine takes for tokens written and trained on; other services take their own.']
      : []),
    ...(shown.prediction === undefined
      ? [
          "No step of these episodes can train the world model: only valid ones do (collect.invalidShare lets others in), and only what fits the model's context.",
        ]
      : []),
    rewarded ? 'The environment gives a task reward.' : 'No task reward was seen: what needs one is left out.',
    `Asked as the agent “${agent}”.`,
    `The model has ${large(parameters)} parameters; ${memory === null ? `it is trained elsewhere: ${engine?.description}` : `training takes about ${gigabytes(memory)} of memory`}.`,
  ].join('\n')
}

function example(
  { stages, rehearsal, format }: MethodPlan,
  kind: (typeof KINDS)[number],
  isTerminal: boolean,
): string[] {
  const shown = rehearsal.shown[kind]
  const users = stages.filter(({ plan }) => plan?.shows === kind).map(({ stage }) => stage.title)
  if (!shown || users.length === 0) return []
  const { sequence, caption } = shown
  const trained = sequence.mask.filter((value) => value !== 0).length
  const mark = isTerminal ? 'in colour' : 'in ⟦ ⟧'
  const title = `${users.join(', ')}: ${caption}`
  const note = `${sequence.tokens.length} tokens, of which ${trained} (${mark}) are the model's own and are trained on.`
  return [`── ${title}\n   ${note}\n\n${renderMasked(format, sequence, isTerminal)}`]
}

const [ON, OFF] = ['\u001b[30;42m', '\u001b[0m']

/** A sequence as text, what the loss falls on in colour or in `⟦…⟧`. */
export function renderMasked(format: ChatFormat, { tokens, mask }: TokenSequence, isTerminal: boolean): string {
  let text = ''
  for (let from = 0; from < tokens.length; ) {
    let to = from
    while (to < tokens.length && (mask[to] !== 0) === (mask[from] !== 0)) to++
    const run = format.tokenizer.decode(tokens.slice(from, to))
    if (mask[from] === 0) text += run
    else if (isTerminal)
      text += run
        .split('\n')
        .map((line) => `${ON}${line}${OFF}`)
        .join('\n')
    else text += `⟦${run}⟧`
    from = to
  }
  return text
}

function planJson({ stages, rehearsal, parameters, memory }: MethodPlan): object {
  const { episodes, turns, valid, rewarded } = rehearsal
  return {
    stages: stages.map(({ stage, plan }) => ({ name: stage.name, title: stage.title, ...plan })),
    measuredOn: { episodes, turns, valid, rewarded },
    parameters,
    memory,
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

/** `812`, `12.3 k`, `4.56 M`. */
function large(value: number): string {
  if (value < 10_000) return value.toFixed(0)
  return value < 1e6 ? `${(value / 1e3).toFixed(1)} k` : `${(value / 1e6).toFixed(2)} M`
}
