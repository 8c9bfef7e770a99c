import type { Diagnosis, RewardTest, WorldModelResult } from '../evaluation/index.ts'
import { type Block, type Cell, cell, left, type ReportDocument, right, type Section } from './document.ts'
import { formatCount, formatLarge, formatNumber, formatSeconds, formatShare, plural } from './format.ts'

/** `rwml diagnose` as a document: the verdict and the figures that decided it first, then each measurement. */
export function diagnosisDocument(diagnosis: Diagnosis): ReportDocument {
  const { verdict, run, transitions, tasks } = diagnosis
  return {
    title: `Is this worth world-model RL? ${run}`,
    verdict: [{ strong: verdict.ground }],
    facts: [`${plural(transitions, 'training transition')} of ${plural(tasks, 'task')}`],
    sections: [
      reasons(diagnosis),
      predictability(diagnosis),
      repetition(diagnosis),
      ...(diagnosis.reward ? [rewardSection(diagnosis.reward)] : []),
      hackingSection(diagnosis),
      varianceSection(diagnosis),
      costSection(diagnosis),
    ],
  }
}

function reasons({ verdict }: Diagnosis): Section {
  const also = verdict.also.map(({ ground, reason }) => [`also ${ground}: ${reason}`])
  return {
    id: 'why',
    title: 'Why',
    blocks: [{ block: 'list', items: [...verdict.reasons, ...verdict.notes].map((reason) => [reason]).concat(also) }],
  }
}

const share = (value: number | null | undefined): Cell => cell(formatShare(value))

/** What the history tells, and what baselines make of it, by kind of transition. */
function predictability({ visibility, baselines }: Diagnosis): Section {
  const { all, byKind } = visibility
  const kinds = Object.entries(byKind).sort((a, b) => b[1].transitions - a[1].transitions)
  const rows = kinds.length > 1 ? [...kinds, ['all', all] as const] : [['all', all] as const]
  const of = (baseline: WorldModelResult, kind: string) => (kind === 'all' ? baseline : baseline.byKind[kind])
  const both = (found: { exact: number; rewarded: number } | undefined): Cell =>
    cell(found ? `${formatShare(found.exact)} (${formatShare(found.rewarded)})` : formatShare(null))
  return {
    id: 'predictability',
    title: 'Predictability',
    blocks: [
      {
        block: 'table',
        columns: [
          left('kind'),
          right('share'),
          right('told'),
          right('untold'),
          ...baselines.map((b) => right(b.predictor)),
        ],
        rows: rows.map(([kind, seen]) => [
          cell(kind),
          share(seen.transitions / all.transitions),
          cell(seen.told === null ? 'wording only' : formatShare(seen.told)),
          share(1 - seen.whole),
          ...baselines.map((baseline) => both(of(baseline, kind))),
        ]),
      },
      {
        block: 'note',
        content: [
          'told: share of the next states’ content (words that are not a verb’s usual wording, weighed by how few tasks have them) that stands in the history or the action. untold: share of transitions with a word that no history could tell. Baselines: exact (by reward), each predicted from other tasks.',
        ],
      },
    ],
  }
}

function repetition({ duplicates }: Diagnosis): Section {
  const { repeated, nextStates, topTen, mostCommon } = duplicates
  return {
    id: 'duplicates',
    title: 'Duplicates',
    blocks: [
      {
        block: 'list',
        items: [
          [`${formatShare(repeated)} of transitions repeat an earlier one to the word, history included`],
          [`${plural(nextStates, 'different next state')}; the ten most common make up ${formatShare(topTen)}`],
          ...mostCommon.map(({ text, share }) => [`${formatShare(share)}: ${shortened(text)}`]),
        ],
      },
    ],
  }
}

function rewardSection(test: RewardTest): Section {
  const { reward, pairs, sorts, thresholds, precision, recall, separation, graded } = test
  const headings = thresholds.map(({ threshold, own }) => `d < ${formatNumber(threshold)}${own ? ' *' : ''}`)
  const figures = (pick: (one: { precision: number; recall: number }) => number): Cell[] =>
    thresholds.length > 0 ? thresholds.map((one) => share(pick(one))) : [share(pick(test))]
  const sortRows = sorts.map(({ sort, same, pairs: count, rewarded, below }) => [
    cell(`${same ? '=' : '≠'} ${sort}`),
    cell(formatCount(count)),
    ...(thresholds.length > 0 ? below.map(share) : [share(rewarded)]),
  ])
  const blocks: Block[] = [
    {
      block: 'table',
      columns: [
        left('pair'),
        right('pairs'),
        ...(headings.length > 0 ? headings : ['mean reward']).map((title) => right(title)),
      ],
      rows: [
        ...sortRows,
        [cell('precision', 'strong'), cell(''), ...figures((one) => one.precision)],
        [cell('recall', 'strong'), cell(''), ...figures((one) => one.recall)],
      ],
    },
    {
      block: 'note',
      content: [
        `${thresholds.length > 0 ? 'Share of pairs that a threshold rewards (* this run’s)' : 'Mean reward of pairs'}. = the same state, ≠ another one. precision: of what is rewarded, the same state, were both equally common. recall: of the same states told differently.`,
      ],
    },
  ]
  const use = graded
    ? `The same state earns more than another in ${formatShare(separation)} of pairs.`
    : `${formatShare(precision)} precision, ${formatShare(recall)} of states told differently found${recall < ALMOST_NONE ? ': in effect an exact match' : ''}.`
  return {
    id: 'reward',
    title: 'Reward',
    blocks: [{ block: 'paragraph', content: [`${reward}, on ${plural(pairs, 'pair')}: ${use}`] }, ...blocks],
  }
}

/** A row a reward. */
function hackingSection({ hacking }: Diagnosis): Section {
  const probes = hacking[0]?.probes ?? []
  return {
    id: 'hacking',
    title: 'What a reward gives for nothing',
    blocks: [
      {
        block: 'table',
        columns: [left('reward'), ...probes.map(({ probe }) => right(probe))],
        rows: hacking.map(({ reward, probes: own }) => [
          cell(reward),
          ...own.map(({ passed, rewarded }) => cell(`${formatShare(passed)} (${rewarded.toFixed(2)})`)),
        ]),
      },
      {
        block: 'note',
        content: [
          'Share of predictions written without knowing what followed that earn more than half a point (mean reward). vague: sentences that fit any outcome of such an action. The most frequent observation is that of other tasks. What passes can be earned without knowing the world, and RL finds it.',
        ],
      },
    ],
  }
}

function varianceSection({ variance }: Diagnosis): Section {
  const title = 'Group variance'
  if (!variance) {
    const content = ['Not measured: draw predictions with --predictions N.']
    return { id: 'variance', title, blocks: [{ block: 'paragraph', content }] }
  }
  const { source, size, parsed, all, kept, byKind } = variance
  const read = parsed === null ? '' : ` ${formatShare(parsed)} of the predictions follow the answer format.`
  const kinds = Object.entries(byKind).sort((a, b) => b[1].groups - a[1].groups)
  const rows = [
    ...(kinds.length > 1 ? kinds : []),
    ['all', all] as const,
    ...(kept ? [['kept by the filter', kept] as const] : []),
  ]
  return {
    id: 'variance',
    title,
    blocks: [
      {
        block: 'paragraph',
        content: [
          `Groups of ${size} predictions of the ${source} each: only those whose rewards differ teach GRPO anything.${read}`,
        ],
      },
      {
        block: 'table',
        columns: [left('kind'), right('groups'), right('with variance'), right('mean reward')],
        rows: rows.map(([kind, count]) => [
          cell(kind),
          cell(formatCount(count.groups)),
          share(count.groups > 0 ? count.varied : null),
          cell(count.groups > 0 ? count.meanReward.toFixed(3) : formatShare(null)),
        ]),
      },
    ],
  }
}

function costSection({ cost }: Diagnosis): Section {
  const seconds = cost.every((stage) => stage.seconds !== null)
    ? cost.reduce((sum, stage) => sum + (stage.seconds ?? 0), 0)
    : null
  const total = (key: 'sampled' | 'trained') => formatLarge(cost.reduce((sum, stage) => sum + stage[key], 0))
  return {
    id: 'cost',
    title: 'Cost with these settings',
    blocks: [
      {
        block: 'table',
        columns: [left('stage'), right('time'), right('tokens sampled'), right('tokens trained'), left('how')],
        rows: [
          ...cost.map((stage) => [
            cell(stage.title),
            cell(formatSeconds(stage.seconds)),
            cell(formatLarge(stage.sampled)),
            cell(formatLarge(stage.trained)),
            cell(`${stage.how}: ${stage.note}`),
          ]),
          [cell('all'), cell(formatSeconds(seconds)), cell(total('sampled')), cell(total('trained')), cell('')],
        ],
      },
    ],
  }
}

/** A reward that finds so few states told differently goes by the exact words. */
const ALMOST_NONE = 0.05
const LONGEST = 100

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}
