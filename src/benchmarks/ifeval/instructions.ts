/**
 * The instructions of IFEval (Zhou et al. 2023, "Instruction-Following Evaluation for Large Language Models"), 25 kinds that
 * a program can check. Verdicts are those of the reference implementation, also where a reader would judge otherwise.
 */
import { UserError } from '../../core/index.ts'
import { formatRules } from './rules/formats.ts'
import { keywordRules } from './rules/keywords.ts'
import { lengthRules } from './rules/lengths.ts'
import type { Check, Rule } from './rules/rule.ts'
import { wordingRules } from './rules/wording.ts'
import { strip } from './text/characters.ts'

const RULES: Record<string, Rule> = { ...keywordRules, ...lengthRules, ...formatRules, ...wordingRules }

/** The names of the kinds, as in the published data. */
export const instructionKinds: readonly string[] = Object.keys(RULES)

/** What one prompt asks for: kinds, and the arguments of each. */
export interface Instructions {
  instructionIds: readonly string[]
  kwargs: readonly Record<string, unknown>[]
}

export interface Strictness {
  /** Whether a response counts that follows only without its first line, its last line, or asterisks. */
  loose: boolean
}

/** Whether the response follows each of the instructions. An empty one follows none. */
export function checkInstructions(instructions: Instructions, response: string, { loose }: Strictness): boolean[] {
  const variants = (loose ? looseVariants(response) : [response]).filter((variant) => strip(variant) !== '')
  return prepareInstructions(instructions).map((follows) => variants.some(follows))
}

/** A UserError where a kind is not known, or its arguments are wrong. */
export function prepareInstructions({ instructionIds, kwargs }: Instructions): Check[] {
  if (kwargs.length !== instructionIds.length)
    throw new UserError(`there are ${instructionIds.length} instructions, but kwargs of ${kwargs.length}`)
  return instructionIds.map((id, i) => {
    if (!Object.hasOwn(RULES, id)) throw new UserError(`instruction ${JSON.stringify(id)} is none of IFEval's`)
    try {
      return RULES[id].prepare(kwargs[i])
    } catch (error) {
      if (error instanceof UserError) throw new UserError(`${id}: ${error.message}`)
      throw error
    }
  })
}

/** A preamble, a closing remark and markdown can each be what keeps a response from following. */
function looseVariants(response: string): string[] {
  const lines = response.split('\n')
  const cut = [lines.slice(1), lines.slice(0, -1), lines.slice(1, -1)].map((left) => strip(left.join('\n')))
  return [...new Set([response, ...cut].flatMap((text) => [text, text.replaceAll('*', '')]))]
}
