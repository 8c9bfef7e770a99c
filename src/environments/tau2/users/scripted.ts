import type { Tool } from '../../../core/index.ts'
import type { Message, Spoken, SpokenMessage, ToolMessage } from '../protocol/message.ts'
import { OUT_OF_SCOPE, STOP, TRANSFER } from '../protocol/protocol.ts'
import type { Scenario } from '../tasks.ts'
import { type Facts, factsOf } from './facts.ts'
import { nextCall, wantedOf } from './phone.ts'
import type { UserSession, UserSimulator } from './user.ts'

/** What an agent may ask for, and which sentences answer it. */
const TOPICS: { asked: RegExp; told: RegExp }[] = [
  { asked: /\bname\b/i, told: /\b(?:I am|name is|name:)/i },
  { asked: /e-?mail/i, told: /@|e-?mail/i },
  { asked: /\bzip|postal|post code/i, told: /\bzip|\b\d{5}\b/i },
  { asked: /\b(?:user|customer|account|profile)(?: ?name| id| number)?\b/i, told: /\buser id|\b\w+_\w+_\d+/i },
  { asked: /\bphone|\bmobile number/i, told: /\d{3}-\d{3}-\d{4}/ },
  { asked: /\border\b/i, told: /#?W\d{5}|\border/ },
  {
    asked: /reservation|confirmation (?:number|code)|booking/i,
    told: /reservation|confirmation|\b(?=\w*\d)[A-Z0-9]{6}\b/,
  },
  { asked: /payment|refund|\bcard\b|paypal|certificate/i, told: /\bpay|card|paypal|certificate|refund/i },
  { asked: /\breason\b|\bwhy\b/i, told: /because|mistake|no longer need|since/i },
  {
    asked: /address|where (?:do|are) you|location|abroad|travel/i,
    told: /live|living|residing|address|abroad|at home/i,
  },
  { asked: /birth/i, told: /born|birth/i },
  { asked: /\bbag|luggage/i, told: /\bbag|luggage/i },
  { asked: /insurance/i, told: /insurance/i },
  { asked: /cabin|\bclass\b/i, told: /economy|business|cabin/i },
  { asked: /passenger/i, told: /passenger/i },
  { asked: /flight|\bdates?\b|depart|arriv/i, told: /flight|from .+ to|depart|return|\b(?:May|June)\b/i },
]

const ASKS = /\?|\b(?:please|could you|can you|may i|i(?:'ll| will)? need|provide|share|tell me|let me know)\b/i
const CONFIRMS =
  /\byes\b|\bdo you (?:confirm|agree|accept|wish|want (?:me )?to)|\bwould you like (?:me )?to (?:proceed|go ahead|continue|do)|\b(?:shall|should) i\b|\bmay i (?:proceed|go ahead)|\blike to proceed|\bplease confirm(?! your)|\b(?:proceed|go ahead|correct|right)\?/i
const CLOSES =
  /\b(?:anything|something) else\b|\bfurther (?:assist|help)|\b(?:have a|enjoy your) (?:\w+ )?(?:day|evening|one|trip|flight)\b|\bgoodbye\b|\btake care\b/i
const TRANSFERS = /\byou are being transferred\b|\bi(?: am|'m| have|'ve) transferr(?:ing|ed) you\b/i

const YES = 'Yes, please go ahead.'
const ALL_RIGHT = 'All right.'
const NOTHING_MORE = 'I do not know more than that.'
/** Said without telling anything. */
const FILLERS = [YES, ALL_RIGHT, NOTHING_MORE]

/** So many answers in a row without anything new: there is nothing left in the scenario to go on with. */
const PATIENCE = 6

/** How a user with a phone sees whether it was helped, by what it called about. */
const PROOFS: { about: RegExp; tool: string; isGood: (seen: string) => boolean }[] = [
  { about: /\bmms\b|picture message/i, tool: 'can_send_mms', isGood: (seen) => !seen.includes('cannot') },
  { about: /mobile data|internet/i, tool: 'run_speed_test', isGood: (seen) => /excellent/i.test(seen) },
  { about: /no service/i, tool: 'check_status_bar', isGood: (seen) => !/No Signal|Airplane Mode/.test(seen) },
]
/** After so many looks it gives up. */
const MOST_PROOFS = 3
const STILL = 'It still does not work.'

/**
 * A user without a model, for tests and for runs that have none. It tells the sentences of its scenario, each when it is asked
 * for, agrees to what it is asked to confirm, does with its tools what a message asks for in plain words, and ends the
 * conversation when the agent offers to. It knows nothing but the scenario, and always answers the same. It cannot bargain,
 * choose or change its mind, so that results with it are labelled and the success of replayed gold actions stands beside them.
 */
export const scriptedUser: UserSimulator = {
  name: 'scripted',
  open: ({ scenario, tools }) => new ScriptedSession(scenario, tools ?? []),
}

class ScriptedSession implements UserSession {
  private readonly facts: Facts
  private readonly tools: string[]
  private readonly proof: (typeof PROOFS)[number] | undefined

  constructor(scenario: Scenario, tools: readonly Tool[]) {
    this.facts = factsOf(scenario)
    this.tools = tools.map(({ name }) => name)
    const about = this.facts.reason.join(' ')
    this.proof = PROOFS.find((one) => this.tools.includes(one.tool) && one.about.test(about))
  }

  speak(heard: readonly Message[]): Spoken {
    const at = heard.findLastIndex(({ role }) => role === 'assistant')
    const asked = at >= 0 ? ((heard[at] as SpokenMessage).content ?? '') : ''
    const since = heard.slice(at + 1)
    const results = since.filter((message): message is ToolMessage => message.role === 'tool')
    const said = heard.filter((one): one is SpokenMessage => one.role === 'user' && one.calls.length === 0)
    if (said.length === 0) return say(`Hi. ${this.facts.reason.join(' ')}`)
    if (TRANSFERS.test(asked)) return say(TRANSFER)

    const wanted = wantedOf(asked, this.tools)
    if (wanted.length > 0) {
      const next = nextCall(wanted, results)
      if (next) return call(next.tool, next.args, heard)
      return say(`I did that. ${results.map(({ content }) => content).join('\n')}`)
    }
    if (CLOSES.test(asked)) return this.close(heard, results, said)
    const answer = this.answer(asked, said)
    const idle = said.length - 1 - said.findLastIndex(({ content }) => !FILLERS.includes(content ?? ''))
    return idle >= PATIENCE && FILLERS.includes(answer) ? say(OUT_OF_SCOPE) : say(answer)
  }

  /** When the agent offers to end: what is still wanted, else a look whether it helped, else the end. */
  private close(heard: readonly Message[], results: readonly ToolMessage[], said: readonly SpokenMessage[]): Spoken {
    const [wish] = untold(this.facts.wishes, said)
    if (wish !== undefined) return say(`Yes. ${wish}`)
    const looks = said.filter(({ content }) => content?.startsWith(STILL)).length
    if (this.proof && looks < MOST_PROOFS) {
      if (results.length === 0) return call(this.proof.tool, {}, heard)
      const [{ content }] = results
      if (!this.proof.isGood(content)) return say(`${STILL} ${content}`)
    }
    return say(`No, that is all. Thank you. ${STOP}`)
  }

  private answer(asked: string, said: readonly SpokenMessage[]): string {
    if (CONFIRMS.test(asked)) return YES
    const { known, reason, wishes, unknown } = this.facts
    // Not asked for anything, a caller goes on with what it has at hand.
    if (!ASKS.test(asked)) return untold([...known, ...wishes], said)[0] ?? ALL_RIGHT
    const topics = TOPICS.filter((topic) => topic.asked.test(asked))
    const fits = (sentence: string) => topics.some(({ told }) => told.test(sentence))
    const all = [...known, ...wishes, ...reason]
    const told = untold(all, said).filter(fits)
    if (told.length > 0) return told.join(' ')
    const missing = unknown.filter((sentence) => topics.some((topic) => topic.asked.test(sentence)))
    const fresh = untold(missing, said)
    if (fresh.length > 0) return fresh.join(' ')
    // Asked again for what it has told already: it may have been overheard.
    const again = known.filter(fits)
    if (again.length > 0 && !isLast(said, again.join(' '))) return again.join(' ')
    const [wish] = untold(wishes, said)
    return wish ?? NOTHING_MORE
  }
}

const say = (content: string): Spoken => ({ content, calls: [] })

function call(name: string, args: Record<string, string>, heard: readonly Message[]): Spoken {
  const made = heard.filter((message) => message.role === 'tool').length
  return { content: null, calls: [{ id: `user-${made}`, name, arguments: JSON.stringify(args) }] }
}

function untold(sentences: readonly string[], said: readonly SpokenMessage[]): string[] {
  return sentences.filter((sentence) => !said.some(({ content }) => content?.includes(sentence)))
}

const isLast = (said: readonly SpokenMessage[], text: string): boolean => said[said.length - 1].content === text
