/** What a goal line asks for, read from its wording. */
export interface Goal {
  object: string
  /** Where it goes; for `look` the lamp. */
  target: string
  treatment: 'clean' | 'heat' | 'cool' | 'look' | null
  count: 1 | 2
}

const HOT: Record<string, 'clean' | 'heat' | 'cool'> = {
  clean: 'clean',
  hot: 'heat',
  heat: 'heat',
  cool: 'cool',
  cold: 'cool',
}

export function parseGoal(instruction: string): Goal | null {
  const line = instruction.replace(/\.$/, '').trim()
  let match = /^(?:look at|examine the) (\w+) (?:under|with) the (\w+)$/.exec(line)
  if (match) return { object: match[1], target: match[2], treatment: 'look', count: 1 }
  match = /^(?:put|find) two (\w+) (?:in|and put them in) (\w+)$/.exec(line)
  if (match) return { object: match[1], target: match[2], treatment: null, count: 2 }
  match = /^(?:put a )?(clean|hot|heat|cool|cold) (?:some )?(\w+) (?:in|and put it in) (\w+)$/.exec(line)
  if (match) return { object: match[2], target: match[3], treatment: HOT[match[1]], count: 1 }
  match = /^put (?:a|some) (\w+) (?:in|on) (\w+)$/.exec(line)
  if (match) return { object: match[1], target: match[2], treatment: null, count: 1 }
  return null
}
