import { isDeepStrictEqual } from 'node:util'
import { UserError } from '../core/index.ts'
import { type Artifacts, BASE, evaluateStage, type Stage, type StageContext } from '../stages/index.ts'
import { needsOf, PREPARING } from './sorts.ts'

/** All arms of one run as one list of stages, in which what several arms begin with stands once. */
export interface Tree {
  stages: Stage[]
  /** For every stage that trains, the name of the one whose model it starts from; null: the base. */
  from: Map<string, string | null>
  ends: ArmEnd[]
}

/** Where an arm ends in the tree. */
export interface ArmEnd {
  arm: string
  /** Its name among the evaluated checkpoints. */
  evaluated: string
  /** Its last stage that trains; null: the base. */
  end: string | null
  /** Names of the stages that it needs, its own and those that prepare: what it would cost alone. */
  paysFor: string[]
  /** Steps of the last stage at which it is evaluated too. */
  curve: number[]
}

interface Node {
  stage: Stage
  name: string
  parent: Node | null
  arm: string | null
}

/** Chains of stages as a tree: equal beginnings (the same sort of stage with the same options) are one stage. */
export function treeOf(arms: readonly { arm: string; stages: readonly Stage[] }[], evaluate: readonly Stage[]): Tree {
  const nodes: Node[] = []
  const preparing = new Map<string, Stage>()
  const needed = new Set(evaluate.flatMap(needsOf))
  /** The arm that is the base model itself. */
  let base: string | null = null
  const ends = arms.map(({ arm, stages }) => {
    const paysFor = new Set<string>()
    let at: Node | null = null
    for (const stage of stages) {
      if (stage.placed) {
        for (const name of needsOf(stage)) paysFor.add(name)
        at = child(nodes, at, stage)
        paysFor.add(at.name)
      } else {
        prepare(preparing, stage, arm)
        for (const name of [...needsOf(stage), stage.name]) paysFor.add(name)
      }
    }
    const before = at ? at.arm : base
    if (before !== null) {
      throw new UserError(
        `the arms "${before}" and "${arm}" are the same stages with the same options: leave one out`,
        2,
      )
    }
    if (at) at.arm = arm
    else base = arm
    for (const name of paysFor) needed.add(name)
    const curve = at ? ((at.stage.options.curve as number[] | undefined) ?? []) : []
    return { arm, evaluated: at ? arm : BASE, end: at?.name ?? null, paysFor: [...paysFor], curve }
  })
  refuseTwoWays(arms, preparing)
  const others = [...preparing.values()].filter(({ name }) => !PREPARING.some((one) => one.name === name))
  const before = PREPARING.map((one) => preparing.get(one.name) ?? one).filter(({ name }) => needed.has(name))
  const evaluated = new Set([BASE, ...ends.flatMap((end) => labelsOf(end))])
  return {
    stages: [...before, ...others, ...nodes.map(placed), ...evaluate.map((stage) => only(stage, evaluated))],
    from: new Map(nodes.map(({ name, parent }) => [name, parent?.name ?? null])),
    ends,
  }
}

/** Names of an arm's checkpoints, points of its curve first. */
export function labelsOf({ evaluated, curve }: Pick<ArmEnd, 'evaluated' | 'curve'>): string[] {
  return [...curve.map((step) => `${evaluated}, step ${step}`), evaluated]
}

/** The stages that an evaluation follows where a study does not say. */
export const evaluationOf = (evaluate: Stage | readonly Stage[] = evaluateStage()): readonly Stage[] =>
  Array.isArray(evaluate) ? evaluate : [evaluate as Stage]

function child(nodes: Node[], parent: Node | null, stage: Stage): Node {
  const found = nodes.find((node) => node.parent === parent && sameStage(node.stage, stage))
  if (found) return found
  const plain = [...(parent ? [parent.name] : []), stage.name].join('.')
  const taken = new Set(nodes.map(({ name }) => name))
  let name = plain
  for (let i = 2; taken.has(name); i++) name = `${plain}.${i}`
  const node = { stage, name, parent, arm: null }
  nodes.push(node)
  return node
}

/** The same sort of stage with the same options, wherever it stands. Functions among them are the same only if they are one. */
function sameStage(a: Stage, b: Stage): boolean {
  return a.title === b.title && isDeepStrictEqual(withoutPlace(a), withoutPlace(b))
}

/** Options of a stage but for where it stands in a method. */
export function withoutPlace({ options }: Stage): Record<string, unknown> {
  const { name: _, from: _from, arm: _arm, ...own } = options
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
}

function placed({ stage, name, parent, arm }: Node): Stage {
  const place = { name, arm: arm ?? name }
  return stage.placed!(parent ? { ...place, from: parent.name } : place)
}

function prepare(preparing: Map<string, Stage>, stage: Stage, arm: string): void {
  const before = preparing.get(stage.name)
  if (before && !sameStage(before, stage)) {
    throw new UserError(
      `the arm "${arm}" has a stage "${stage.name}" with other options than an arm before it: give one of them another name, or settings of its own`,
      2,
    )
  }
  if (!before) preparing.set(stage.name, stage)
}

/** One arm prepares in its own way what another expects as usual: in one run, both would learn from the one. */
function refuseTwoWays(arms: Parameters<typeof treeOf>[0], preparing: ReadonlyMap<string, Stage>): void {
  for (const usual of PREPARING) {
    const own = preparing.get(usual.name)
    if (!own || sameStage(own, usual)) continue
    const has = ({ stages }: (typeof arms)[number]) => stages.some(({ name, placed }) => !placed && name === usual.name)
    const owner = arms.find(has)!
    const other = arms.find((one) => !has(one) && one.stages.some((stage) => needsOf(stage).includes(usual.name)))
    if (other) {
      throw new UserError(
        `the arm "${owner.arm}" has a stage "${usual.name}" of its own, and "${other.arm}" needs the usual one: give it settings of its own`,
        2,
      )
    }
  }
}

/** A stage that sees only those checkpoints that are arms: where other arms begin is nobody's result. */
function only(stage: Stage, evaluated: ReadonlySet<string>): Stage {
  return {
    ...stage,
    async run(context: StageContext, artifacts: Artifacts) {
      const own = { ...artifacts, arms: artifacts.arms.filter(({ arm }) => evaluated.has(arm)) }
      const outcome = await stage.run(context, own)
      artifacts.evaluation = own.evaluation
      return outcome
    },
  }
}

/** Title of a stage with what it varies, for tables: `World-model RL (unfiltered)`. */
export function describeStage(stage: Pick<Stage, 'title' | 'options'>): string {
  const { teaches: _, curve: _curve, ...own } = withoutPlace(stage as Stage)
  const parts = Object.entries(own).map(([key, value]) => (value === true ? key : `${key} ${JSON.stringify(value)}`))
  return parts.length > 0 ? `${stage.title} (${parts.join(', ')})` : stage.title
}
