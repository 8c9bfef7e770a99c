import { actionText, actionVerb, observationText, type Transition } from '../../core/index.ts'
import { lexicalWords } from '../../embedders/index.ts'

/** How much of the next states the history tells. */
export interface Visibility {
  transitions: number
  /** Share of the next states' content that stands in the history or in the action; null where they have none. */
  told: number | null
  /** Share of transitions without a single word of content that no history could tell: a bound for exact prediction. */
  whole: number
}

/**
 * Looks for the content of every next state in what came before it: task, first observation, past actions and
 * observations, and the action. Words, a thing with its number being one ("drawer 3"). What an action of that verb is often
 * answered with is wording, which any model learns, and counts nothing; nor does a stock answer that several verbs have
 * ("Nothing happens."). Other words weigh by how few tasks have them.
 */
export function visibility(
  transitions: readonly Transition[],
  kindOf: (one: Transition) => string,
): { all: Visibility; byKind: Record<string, Visibility> } {
  const weightOf = contentWeights(transitions)
  const all = { transitions: 0, content: 0, told: 0, whole: 0 }
  const kinds = new Map<string, typeof all>()
  for (const one of transitions) {
    const seen = new Set(historyTexts(one).flatMap(lexicalWords))
    let [content, told] = [0, 0]
    for (const word of new Set(lexicalWords(observationText(one.next)))) {
      const weight = weightOf(one, word)
      content += weight
      if (seen.has(word)) told += weight
    }
    const kind = kinds.get(kindOf(one)) ?? { transitions: 0, content: 0, told: 0, whole: 0 }
    kinds.set(kindOf(one), kind)
    for (const sum of [all, kind]) {
      sum.transitions++
      sum.content += content
      sum.told += told
      if (told === content) sum.whole++
    }
  }
  const shares = ({ transitions, content, told, whole }: typeof all): Visibility => ({
    transitions,
    told: content > 0 ? told / content : null,
    whole: transitions > 0 ? whole / transitions : 0,
  })
  return { all: shares(all), byKind: Object.fromEntries([...kinds].map(([kind, sum]) => [kind, shares(sum)])) }
}

/** A word is wording of a verb where this share of the verb's answers have it. */
const WORDING_SHARE = 0.2
/** Wording and stock answers have to occur in so many tasks. */
const WORDING_TASKS = 5

/** ln(tasks / tasks whose next states have the word); 0 for wording. */
function contentWeights(transitions: readonly Transition[]): (one: Transition, word: string) => number {
  const stock = stockAnswers(transitions)
  const tasksWith = new Map<string, Set<string>>()
  const verbs = new Map<string, { answers: number; words: Map<string, { answers: number; tasks: Set<string> }> }>()
  for (const { taskId, action, next } of transitions) {
    const verb = verbs.get(actionVerb(action)) ?? { answers: 0, words: new Map() }
    verbs.set(actionVerb(action), verb)
    verb.answers++
    for (const word of new Set(lexicalWords(observationText(next)))) {
      const found = verb.words.get(word) ?? { answers: 0, tasks: new Set<string>() }
      verb.words.set(word, found)
      found.answers++
      found.tasks.add(taskId)
      tasksWith.set(word, (tasksWith.get(word) ?? new Set<string>()).add(taskId))
    }
  }
  const tasks = new Set(transitions.map((one) => one.taskId)).size
  return ({ action, next }, word) => {
    if (stock.has(observationText(next))) return 0
    const verb = verbs.get(actionVerb(action))!
    const found = verb.words.get(word)!
    const wording = found.answers >= WORDING_SHARE * verb.answers && found.tasks.size >= WORDING_TASKS
    return wording ? 0 : Math.log(tasks / tasksWith.get(word)!.size)
  }
}

/** Whole next states that follow actions of several verbs, in several tasks. */
function stockAnswers(transitions: readonly Transition[]): Set<string> {
  const found = new Map<string, { verbs: Set<string>; tasks: Set<string> }>()
  for (const { action, next, taskId } of transitions) {
    const text = observationText(next)
    const one = found.get(text) ?? { verbs: new Set<string>(), tasks: new Set<string>() }
    found.set(text, one)
    one.verbs.add(actionVerb(action))
    one.tasks.add(taskId)
  }
  return new Set(
    [...found].filter(([, { verbs, tasks }]) => verbs.size > 1 && tasks.size >= WORDING_TASKS).map(([text]) => text),
  )
}

function historyTexts({ instruction, initial, history, action }: Transition): string[] {
  return [
    instruction,
    observationText(initial),
    ...history.flatMap((turn) => [turn.action ? actionText(turn.action) : '', observationText(turn.observation)]),
    actionText(action),
  ]
}
