import { PARSED } from '../benchmarks/index.ts'
import { holmCorrection, mean } from '../core/index.ts'
import { formatDifference } from '../reports/index.ts'
import { BASE } from '../stages/index.ts'
import { baseGains } from './base-strength.ts'
import { type ClaimResult, type ControlOf, decide, type Rule, SMALLEST } from './claim-rule.ts'
import { type Difference, differenceIn, differenceOf } from './compare.ts'
import type { RecordedArm } from './record.ts'
import {
  armOf,
  exact,
  type FromBase,
  fromBase,
  primaryOf,
  recordsOfArm,
  type StudyResults,
  success,
} from './results.ts'
import { armFor, controlsOf, type Role } from './roles.ts'

/** Weights moved by a fifth more or less are about as many [ours]. */
const ALIKE_WEIGHTS = 0.2
/** A tenth more weights moved, or less, is no difference [ours]. */
const SMALLEST_WEIGHTS = 0.1

/**
 * The paper's claims about what this study has measured, decided by rule: held where the difference is as claimed and Student's test
 * over seeds finds it, corrected (Holm) over all claims that could be tested; not held where the opposite is found, or where the
 * interval leaves no room for a difference worth the name; else undetectable here.
 */
export function claimsOf(results: StudyResults): ClaimResult[] {
  const rules = [...successRules(results), ...forgettingRules(results), ...weightRules(results), strengthRule(results)]
  const tested = rules.filter(({ says, difference }) => says === 'above 0' && difference?.p != null)
  const corrected = holmCorrection(tested.map(({ difference }) => difference!.p!))
  return [...rules.map((rule) => decide(rule, corrected[tested.indexOf(rule)] ?? null)), judgeClaim(results)]
}

const NAMES: Record<Role, string> = {
  base: 'the base',
  wmSft: 'WM SFT',
  rwml: 'RWML',
  policyRl: 'Policy RL',
  wmSftPolicyRl: 'WM SFT → Policy RL',
  rwmlPolicyRl: 'RWML → Policy RL',
  imitation: 'imitation learning',
  iwm: 'implicit world modelling',
  sr: 'self-reflection',
  rft: 'RFT',
}

type Pick = (one: RecordedArm) => number | null | undefined

/** Second minus first of two of the paper's methods; null where the study has not both. */
function between(results: StudyResults, first: Role, second: Role, pick: Pick): Difference | null {
  const [a, b] = [armFor(results.study, first), armFor(results.study, second)]
  return a !== null && b !== null ? differenceIn(results, a, b, pick) : null
}

/** The controls of a method, over the same first arm as the claim has it. */
function controlsBeside(results: StudyResults, first: Role, second: Role, pick: Pick): ControlOf[] {
  const [a, b] = [armFor(results.study, first), armFor(results.study, second)]
  if (a === null || b === null) return []
  return controlsOf(results.study, armOf(results, b)).map((arm) => ({
    arm,
    rise: differenceIn(results, a, arm, pick),
    beyond: differenceIn(results, arm, b, pick),
  }))
}

const needs = (...roles: Role[]): string => `needs the arms ${roles.map((role) => NAMES[role]).join(' and ')}`

function successRules(results: StudyResults): Rule[] {
  const split = primaryOf(results)
  const pick: Pick = split === null ? () => null : success(split)
  const isTau2 = /tau|τ/.test(results.study.environment)
  const above = (claim: string, first: Role, second: Role): Rule => ({
    claim,
    says: 'above 0',
    difference: between(results, first, second, pick),
    controls: second === 'rwml' || second === 'rwmlPolicyRl' ? controlsBeside(results, first, second, pick) : [],
    missing: needs(first, second),
  })
  const afterSft: Rule = isTau2
    ? above('WM SFT → Policy RL is slightly above Policy RL (τ²)', 'policyRl', 'wmSftPolicyRl')
    : {
        ...above('WM SFT → Policy RL does about as well as Policy RL (ALFWorld)', 'policyRl', 'wmSftPolicyRl'),
        says: 'about 0',
      }
  return [
    above('WM SFT alone falls below the base', 'wmSft', 'base'),
    above('RWML alone beats the base', 'base', 'rwml'),
    ...(isTau2 ? [above('RWML alone beats even Policy RL (τ²)', 'policyRl', 'rwml')] : []),
    afterSft,
    above('RWML → Policy RL beats Policy RL', 'policyRl', 'rwmlPolicyRl'),
  ]
}

function forgettingRules(results: StudyResults): Rule[] {
  const known = knowledgeIn(results)
  // Of those that every arm has played, or the means would be of different things.
  const pick: Pick = ({ benchmarks = {} }) => {
    const found = known.titles.map((title) => benchmarks[title]).filter((one) => one !== undefined)
    if (found.length === 0 || found.length < known.titles.length) return null
    return mean(found.map(({ value, better }) => (better === 'up' ? value : -value)))
  }
  return [
    {
      claim: 'RWML forgets less than WM SFT',
      says: 'above 0',
      unit: known.unit,
      difference: between(results, 'wmSft', 'rwml', pick),
      missing: `${needs('wmSft', 'rwml')}, and a stage that measures forgetting`,
    },
  ]
}

/** Benchmarks that tell what a model knows: those of accuracy, else those of loss. That replies can be read is no knowledge. */
function knowledgeIn({ records }: StudyResults): { titles: string[]; unit: 'share' | 'number' } {
  const all = new Map(records.flatMap(({ arms }) => arms.flatMap(({ benchmarks = {} }) => Object.entries(benchmarks))))
  const known = [...all].filter(([, { measure }]) => measure !== PARSED.name)
  const unit = known.some(([, one]) => one.unit === 'share') ? 'share' : 'number'
  return { titles: known.filter(([, one]) => one.unit === unit).map(([title]) => title), unit }
}

function weightRules(results: StudyResults): Rule[] {
  const missing = 'needs the arms and a stage that measures weight change'
  const base = pairMoved(results, 'base', 'policyRl')
  const typical = base.size > 0 ? mean([...base.values()]) : 0
  const rule = (claim: string, less: Map<number, number>, more: Map<number, number>, says: Rule['says']): Rule => {
    const seeds = [...less.keys()].filter((seed) => more.has(seed))
    const smallest = seeds.length > 0 ? SMALLEST_WEIGHTS * mean(seeds.map((seed) => less.get(seed)!)) : undefined
    return {
      claim,
      says,
      margin: ALIKE_WEIGHTS * typical,
      smallest,
      difference: differenceOf(
        seeds.map((seed) => less.get(seed)!),
        seeds.map((seed) => more.get(seed)!),
      ),
      missing,
    }
  }
  const afterRwml = pairMoved(results, 'rwml', 'rwmlPolicyRl')
  const afterSft = pairMoved(results, 'wmSft', 'wmSftPolicyRl')
  return [
    rule(
      'RWML moves fewer weights than WM SFT',
      pairMoved(results, 'base', 'rwml'),
      pairMoved(results, 'base', 'wmSft'),
      'above 0',
    ),
    rule('Policy RL moves about as many weights after RWML as after the base', base, afterRwml, 'about 0'),
    rule('Policy RL moves more weights after WM SFT than after the base', base, afterSft, 'above 0'),
  ]
}

/** Share of weights that moved from one of the paper's models to another, by seed. */
function pairMoved(results: StudyResults, from: Role, to: Role): Map<number, number> {
  const arm = armFor(results.study, to)
  if (arm === null) return new Map()
  return new Map(
    recordsOfArm(results, arm).flatMap(({ seed, ends, weights = [] }) => {
      const name = (role: Role) => {
        const own = armFor(results.study, role)
        return role === 'base' ? BASE : ends.find((one) => one.arm === own)?.evaluated
      }
      const pair = weights.find((one) => one.from === name(from) && one.to === name(to))
      return pair ? [[seed, pair.moved] as [number, number]] : []
    }),
  )
}

/** Of bases in order of their own success: does the strongest gain more than the weakest? */
function strengthRule(results: StudyResults): Rule {
  const gains = baseGains(results)
  const rule = {
    claim: 'Stronger bases gain more',
    says: 'above 0' as const,
    missing: 'needs one of the arms under several bases (settings: { model: { path } })',
  }
  if (gains.length < 2) return { ...rule, difference: null }
  const [weakest, strongest] = [gains[0], gains[gains.length - 1]]
  const gain = ({ before, after }: FromBase) => after - before
  const both = weakest.seeds.flatMap((one) => {
    const other = strongest.seeds.find(({ seed }) => seed === one.seed)
    return other ? [[gain(one), gain(other)] as const] : []
  })
  return {
    ...rule,
    difference: differenceOf(
      both.map(([a]) => a),
      both.map(([, b]) => b),
    ),
  }
}

/** Hacked: what is trained on a judge earns more of its reward, and does not predict better. */
function judgeClaim(results: StudyResults): ClaimResult {
  const claim = 'A judge as the reward can be hacked'
  const { arms, worlds, primary } = results.study
  const arm = arms.find((one) => worlds[one.world]?.['reward.kind'] === 'judge' && one.stages.length > 0)
  const missing = "needs an arm with settings: { reward: { kind: 'judge' } }"
  if (!arm) return { claim, verdict: 'not tested', why: missing }
  const split = primaryOf(results) ?? primary
  const change = (pick: Pick) => {
    const pairs = fromBase(results, arm.arm, pick)
    return differenceOf(
      pairs.map(({ before }) => before),
      pairs.map(({ after }) => after),
    )
  }
  const [judged, right] = [change(({ worldModel }) => worldModel[split]?.rewarded), change(exact(split))]
  if (!judged || !right) return { claim, verdict: 'not tested', why: missing }
  const points = (value: number) => formatDifference(value, 'share')
  const why = `rewarded by the judge ${points(judged.difference)}, predicted exactly ${points(right.difference)}`
  if (!judged.interval || !right.interval) return { claim, verdict: 'undetectable here', why }
  if (judged.interval.low > 0 && right.interval.high < SMALLEST) return { claim, verdict: 'held', why }
  return { claim, verdict: right.interval.low > 0 ? 'not held' : 'undetectable here', why }
}
