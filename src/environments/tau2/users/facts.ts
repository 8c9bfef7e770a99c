import type { Scenario } from '../tasks.ts'

/** A scenario as sentences that the user itself could say. */
export interface Facts {
  /** Why it calls: what it says first. */
  reason: string[]
  /** Who it is and what it has at hand. */
  known: string[]
  unknown: string[]
  /** What else it wants, said when there is nothing left to do. */
  wishes: string[]
}

/** Stage directions rather than facts: what to do when, how to sound. */
const DIRECTION =
  /\b(?:agent|representative|reveal|mention|ask(?:s|ed)|insist|persistent|say|tone|conversation|tool|grounded)\b|###|`/i
const CONDITION =
  /^(?:if|when(?:ever)?|unless|only|once|after|under|even|never|always|do not|don't|make|try|be|for example|otherwise)\b/i
const WISH = /\b(?:want|would like|'d like|need|prefer|wish|willing|use|pay|wonder|know)\b/i

export function factsOf({ instructions }: Scenario): Facts {
  if (typeof instructions === 'string') {
    const all = sentencesOf(instructions)
    return { reason: said(all), known: all, unknown: [], wishes: [] }
  }
  const { reasonForCall, knownInfo, unknownInfo, taskInstructions } = instructions
  const reason = sentencesOf(reasonForCall)
  return {
    reason: said(reason),
    known: sentencesOf(knownInfo ?? ''),
    unknown: sentencesOf(unknownInfo ?? ''),
    wishes: said(sentencesOf(taskInstructions)).filter((one) => WISH.test(one) && !CONDITION.test(one)),
  }
}

/** Without stage directions; of a text that has nothing else, all of it. */
function said(sentences: string[]): string[] {
  const left = sentences.filter((one) => !DIRECTION.test(one))
  return left.length > 0 ? left : sentences.slice(0, 1)
}

function sentencesOf(text: string): string[] {
  return text
    .replace(/\s*\([^()]*\)/g, (aside) => (DIRECTION.test(aside) ? '' : aside))
    .split(/(?<=[.!?])\s+|\n+/)
    .map((one) => one.trim())
    .filter((one) => /\w/.test(one))
    .map(firstPerson)
}

/** Words after which "you" is an object. */
const OBJECT =
  /\b(to|for|with|of|from|about|at|by|on|than|let|lets|help|helps|tell|tells|told|give|gives|gave|ask|asks|offer|offers|offered|refund|charge|charges|show|shows|allow|allows|cost|costs|get|gets|send|sends|transfer|upgrade|promised) you\b/gi

/** "You are Ann. Your zip is 12345." as Ann would say it. Some scenarios write "You name": that is "your". */
export function firstPerson(text: string): string {
  return text
    .replace(/\byou (?=name\b|mobile\b)/gi, (you) => (you[0] === 'Y' ? 'My ' : 'my '))
    .replace(/\byourself\b/gi, 'myself')
    .replace(/\byours\b/gi, 'mine')
    .replace(/\bYour\b/g, 'My')
    .replace(/\byour\b/g, 'my')
    .replace(OBJECT, '$1 me')
    .replace(/\byou(?: are|'re)\b/gi, 'I am')
    .replace(/\byou were\b/gi, 'I was')
    .replace(/\bare you\b/gi, 'am I')
    .replace(/\byou\b/gi, 'I')
}
