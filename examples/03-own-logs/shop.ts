/**
 * Logs of a made-up shop: an assistant with three tools talks to customers. Everything follows fixed rules that no log
 * states, so there is something to learn: which answers a tool has, and how a customer takes what it hears.
 *
 *     npx tsx examples/03-own-logs/shop.ts --count 600 --seed 0 > runs/shop.jsonl
 */
import { parseArgs } from 'node:util'
import { type ChatMessage, Random, type Tool } from 'rwml'

const GOODS: Record<string, number> = { apple: 1, cup: 3, book: 5, pen: 2, kettle: 9, lamp: 8, vase: 6, knife: 4 }

export const tools: Tool[] = [
  { name: 'stock', description: 'How many of an article are left.', parameters: { item: 'string' } },
  { name: 'price', description: 'What one costs.', parameters: { item: 'string' } },
  { name: 'order', description: 'Send some of them.', parameters: { item: 'string', count: 'number' } },
]

interface Call {
  item: string
  count?: number
}

/** What lies behind the tools. Articles are numbered 1 to 7: the higher, the dearer; of every third there is nothing. */
export function answer(name: string, { item, count = 0 }: Call): Record<string, unknown> {
  const [type, number] = [item.split(' ')[0], Number(item.split(' ')[1])]
  const left = (number * 3 + type.length) % 5
  if (name === 'stock') return { left }
  const price = GOODS[type] + number
  if (name === 'price') return { price }
  return count > left ? { error: 'not enough' } : { order: 1000 + number * 7 + type.length, total: count * price }
}

/** One customer from greeting to parting. The assistant is none of the best: now and then it forgets to look or to ask. */
export function conversation(random: Random): ChatMessage[] {
  const messages: ChatMessage[] = []
  let item = `${random.pick(Object.keys(GOODS))} ${random.integer(1, 7)}`
  let count = random.integer(1, 3)
  const most = random.pick([10, 20, 40])
  const say = (content: string) => messages.push({ role: 'assistant', content })
  const hear = (content: string) => messages.push({ role: 'user', content })
  const call = (name: string, args: Call): Record<string, unknown> => {
    const id = `c${messages.length}`
    const tool_calls = [{ id, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }]
    const result = answer(name, args)
    messages.push({ role: 'assistant', content: '', tool_calls })
    messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(result) })
    return result
  }

  hear(`I need ${count} ${item}, at most ${most}.`)
  if (random.chance(0.7)) {
    const left = Number(call('stock', { item }).left)
    if (left < count && random.chance(0.8)) {
      say(`Only ${left} left.`)
      // A customer who cannot have all takes what there is, or the next number.
      if (left > 0) count = left
      else item = `${item.split(' ')[0]} ${(Number(item.split(' ')[1]) % 7) + 1}`
      hear(left > 0 ? `Then ${left} ${item}.` : `Then the ${item}.`)
    }
  }
  if (random.chance(0.7)) {
    const total = count * Number(call('price', { item }).price)
    say(`That is ${total}.`)
    hear(total > most ? `Too much for the ${item}. Bye.` : `Good, send the ${item}.`)
    if (total > most) return messages
  }
  const { error } = call('order', { item, count })
  say(error ? 'We have not enough.' : 'It is on its way.')
  hear(error ? `A pity about the ${item}.` : `Thanks for the ${item}.`)
  return messages
}

if (import.meta.filename === process.argv[1]) {
  const { values } = parseArgs({ options: { count: { type: 'string' }, seed: { type: 'string' } } })
  const random = new Random('shop', Number(values.seed ?? 0))
  for (let i = 0; i < Number(values.count ?? 600); i++) {
    console.log(JSON.stringify({ id: `customer-${i}`, tools, messages: conversation(random) }))
  }
}
