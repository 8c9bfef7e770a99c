import { actionText, observationText, type Random, type Transition } from '../../core/index.ts'
import type { StateText, StateVariants } from '../environment.ts'
import { type Description, described } from './listing.ts'
import { listWithArticles } from './names.ts'
import { NOTHING_HAPPENS } from './texts.ts'

/** From this length on a listing is long: one object more or less is a small part of it. */
const LONG_LISTING = 5

/**
 * What a reward must call the same, and what it must not, around the state that a transition led to. The first by our own
 * wording of the game's templates, the second by its rules: each is a text that some household would have answered with.
 */
export function variants({ action, next, valid }: Transition, random: Random): StateVariants {
  const text = observationText(next)
  const description = described(text)
  const same: StateText[] = [
    ...(description ? reordered(text, description, random) : []),
    { sort: 'other articles', text: text.replace(/\ba (?=\S+ \d)/g, 'one ') },
    { sort: 'other words', text: reworded(text) },
  ]
  const different: StateText[] = [
    ...(description ? otherContents(text, description, random) : []),
    ...renumbered(text, description, random),
    valid
      ? { sort: 'nothing happens', text: NOTHING_HAPPENS }
      : { sort: 'as if it had worked', text: asIfItHadWorked(actionText(action).trim()) },
  ]
  const others = (list: StateText[]) => list.filter((one) => one.text !== text && one.text !== '')
  return { same: others(same), different: others(different) }
}

function reordered(text: string, { objects }: Description, random: Random): StateText[] {
  if (!objects || objects.length < 2) return []
  // A shuffle that leaves all as it was would be no test.
  const turned = [...objects.slice(1), objects[0]]
  const order = random.shuffle(objects)
  const changed = order.some((object, index) => object !== objects[index]) ? order : turned
  return [{ sort: 'another order', text: withObjects(text, objects, changed) }]
}

function withObjects(text: string, before: readonly string[], after: readonly string[]): string {
  return text.replace(`you see ${listWithArticles(before)}.`, () => `you see ${listWithArticles(after)}.`)
}

/** The same template in other words. */
const WORDINGS: readonly [RegExp, string][] = [
  [/^You arrive at ([^.]+)\./, 'You are now at the $1.'],
  [/\bOn the (\S+ \d+), you see nothing\./, 'There is nothing on the $1.'],
  [/\bOn the (\S+ \d+), you see ([^.]+)\./, 'There is $2 on the $1.'],
  [/\bThe (\S+ \d+) is open\. In it, you see ([^.]+)\./, 'The $1 stands open, with $2 in it.'],
  [/\bThe (\S+ \d+) is closed\./, 'The $1 is shut.'],
  [/^You (open|close) the (\S+ \d+)\./, 'The $2 is what you $1.'],
  [/^You pick up the (\S+ \d+) from the (\S+ \d+)\./, 'You take the $1 from the $2.'],
  [/^You (?:move|put) the (\S+ \d+) (?:to|in\/on) the (\S+ \d+)\./, 'You place the $1 at the $2.'],
  [/^You (heat|cool|clean) the (\S+ \d+) using the (\S+ \d+)\./, 'You $1 the $2 with the $3.'],
  [/^You turn on the (\S+ \d+)\./, 'You switch the $1 on.'],
  [/^You are facing the ([^.]+)\. Next to it, you see ([^.]+)\./, 'You stand before the $1, with $2 beside it.'],
  [/^You are not carrying anything\./, 'Your hands are empty.'],
  [/^You are carrying: ([^.]+)\./, 'You hold $1.'],
  [/^This is an? (.+) (\S+ \d+)\.$/, 'The $2 is $1.'],
  [/^There's nothing special about (\S+ \d+)\./, 'The $1 looks as it always does.'],
  [/^Nothing happens\.$/, 'That has no effect.'],
]

function reworded(text: string): string {
  return WORDINGS.reduce((told, [pattern, words]) => told.replace(pattern, words), text)
}

/** What a receptacle holds, with one thing wrong. */
function otherContents(text: string, { receptacle, objects }: Description, random: Random): StateText[] {
  const swapped = 'closed for open and empty'
  const empty = `The ${receptacle} is open. In it, you see nothing.`
  const closed = `The ${receptacle} is closed.`
  if (objects === null) return [{ sort: swapped, text: text.replace(closed, empty) }]
  if (objects.length === 0) {
    const door = text.replace(empty, closed)
    return door === text ? [] : [{ sort: swapped, text: door }]
  }
  const size = objects.length < LONG_LISTING ? `of 1 to ${LONG_LISTING - 1}` : `of ${LONG_LISTING} or more`
  const gone = random.integer(0, objects.length - 1)
  const more = [...objects]
  more.splice(random.integer(0, more.length), 0, otherNumber(random.pick(objects), objects, random))
  const changed = objects.map((object, index) => (index === gone ? otherNumber(object, objects, random) : object))
  const less = objects.filter((_, index) => index !== gone)
  return [
    { sort: `one object missing, ${size}`, text: withObjects(text, objects, less) },
    { sort: `one object too many, ${size}`, text: withObjects(text, objects, more) },
    { sort: 'an object renumbered', text: withObjects(text, objects, changed) },
  ]
}

/** Another of the same type that is not listed yet. */
function otherNumber(name: string, taken: readonly string[], random: Random): string {
  const [type, number] = name.split(' ')
  const free = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    .map((step) => `${type} ${step}`)
    .filter((other) => !taken.includes(other) && other !== `${type} ${number}`)
  return free.length > 0 ? random.pick(free.slice(0, 3)) : `${type} ${Number(number) + 10}`
}

/** The whole text about another receptacle, or about another object where it lists none. */
function renumbered(text: string, description: Description | undefined, random: Random): StateText[] {
  const names = [...new Set([...text.matchAll(/\b[a-z]+ \d+\b/g)].map(([name]) => name))]
  if (names.length === 0) return []
  const name = description?.receptacle ?? random.pick(names)
  const other = otherNumber(name, names, random)
  const sort = description ? 'wrong receptacle' : 'another thing named'
  return [{ sort, text: text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), other) }]
}

/** Answers that commands would have had, had they been admissible. */
const WORKED: readonly [RegExp, string][] = [
  [/^go to (\S+ \d+)$/, 'You arrive at $1. The $1 is closed.'],
  [/^take (\S+ \d+) from (\S+ \d+)$/, 'You pick up the $1 from the $2.'],
  [/^move (\S+ \d+) to (\S+ \d+)$/, 'You move the $1 to the $2.'],
  [/^put (\S+ \d+) in\/on (\S+ \d+)$/, 'You put the $1 in/on the $2.'],
  [/^open (\S+ \d+)$/, 'You open the $1. The $1 is open. In it, you see nothing.'],
  [/^close (\S+ \d+)$/, 'You close the $1.'],
  [/^use (\S+ \d+)$/, 'You turn on the $1.'],
  [/^(heat|cool|clean) (\S+ \d+) with (\S+ \d+)$/, 'You $1 the $2 using the $3.'],
  [/^slice (\S+ \d+) with (\S+ \d+)$/, 'You sliced the $1 with the $2.'],
  [/^examine (\S+ \d+)$/, "There's nothing special about $1."],
]

/** Empty where the command is of no known form. */
function asIfItHadWorked(command: string): string {
  const found = WORKED.find(([pattern]) => pattern.test(command))
  return found ? command.replace(found[0], found[1]) : ''
}
