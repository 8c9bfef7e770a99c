import { type Action, observationText, Random } from '../core/index.ts'
import type { Tau2Gold } from '../environments/index.ts'
import type { View } from './agent.ts'
import type { Player } from './player.ts'

/** Ask for the end, so that the user may end it. */
const CLOSING = 'Is there anything else I can help you with?'
/** What τ²-bench's policies have an agent say after the transfer. */
const TRANSFERRED = 'YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.'
const TRANSFER_TOOL = 'transfer_to_human_agents'

/**
 * Does what a task's own solution does, in its order: calls its tools, asks the user for what the user has to do, tells what has
 * to be told, and then offers to end. One player an episode. It shows what a simulated user and an evaluation make of a
 * perfect agent, and is no agent to compare with.
 */
export function goldPlayer({ actions, communicate }: Tau2Gold, { solo = false } = {}): Player {
  const script: Action[] = actions.flatMap(({ requestor, name, arguments: args }, index): Action[] => {
    const call: Action = { kind: 'tools', calls: [{ id: `gold-${index}`, name, arguments: args }] }
    if (solo) return [call]
    if (requestor === 'user') return [{ kind: 'text', text: request(name, args) }]
    return name === TRANSFER_TOOL ? [call, { kind: 'text', text: TRANSFERRED }] : [call]
  })
  if (communicate.length > 0 && !solo) {
    // Beside the closing, not alone: a user who is only told something has nothing to answer.
    script.push({ kind: 'text', text: `For your information: ${communicate.join('; ')}. ${CLOSING}` })
  }
  const end: Action = solo
    ? { kind: 'tools', calls: [{ id: 'gold-end', name: 'done', arguments: '{}' }] }
    : { kind: 'text', text: CLOSING }
  let at = 0
  return { name: 'gold-replay', act: () => script[at++] ?? end }
}

/** What a user has to do, in words: the name of its tool and the values. */
function request(name: string, args: string): string {
  const values = Object.entries(JSON.parse(args) as Record<string, unknown>)
  const told = values.map(([key, value]) => `${key.replaceAll('_', ' ')} ${value}`).join(', ')
  return `Please ${name.replaceAll('_', ' ')}${told === '' ? '' : `: ${told}`}.`
}

const MESSAGES = [
  'Could you tell me your name, your email and your zip code?',
  'Which order or reservation is it about?',
  'Would you like me to proceed? (yes/no)',
  'Please check your status bar.',
  'Let me look into that.',
  CLOSING,
]

/** Calls any tools with arguments that occur in the conversation, says anything, and now and then writes what cannot be read. */
export function randomPlayer(seed: number): Player {
  return {
    name: 'random',
    act(view) {
      const random = new Random('tau2', seed, view.history.length)
      const tools = view.tools ?? []
      if (tools.length === 0 || random.chance(0.25)) return { kind: 'text', text: random.pick(MESSAGES) }
      const { name, parameters } = random.pick(tools)
      const args = random.chance(0.03) ? '{"a": ' : JSON.stringify(randomObject(parameters, wordsOf(view), random))
      return { kind: 'tools', calls: [{ id: `random-${view.history.length}`, name, arguments: args }] }
    },
  }
}

/** Names and numbers that were heard of. */
function wordsOf({ initial, history }: View): string[] {
  const text = [initial, ...history.map(({ observation }) => observation)].map(observationText).join(' ')
  return [...new Set(text.match(/#?\w*\d\w*|\b[A-Z]\w+/g) ?? ['1'])]
}

interface ArgumentSchema {
  type?: string
  enum?: unknown[]
  properties?: Record<string, ArgumentSchema>
  required?: string[]
  items?: ArgumentSchema
}

function randomObject(schema: unknown, words: readonly string[], random: Random): Record<string, unknown> {
  const { properties = {}, required = [] } = (schema ?? {}) as ArgumentSchema
  const keys = Object.keys(properties).filter((key) => required.includes(key) || random.chance(0.3))
  return Object.fromEntries(keys.map((key) => [key, randomValue(properties[key], words, random)]))
}

function randomValue(schema: ArgumentSchema, words: readonly string[], random: Random): unknown {
  if (schema.enum) return random.pick(schema.enum)
  switch (schema.type) {
    case 'integer':
      return random.integer(0, 5)
    case 'number':
      return random.integer(0, 500) / 10
    case 'boolean':
      return random.chance(0.5)
    case 'array':
      return [randomValue(schema.items ?? {}, words, random)]
    case 'object':
      return randomObject(schema, words, random)
    default:
      return random.pick(words)
  }
}
