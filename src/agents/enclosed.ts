/** Parts of a reply between a tag and its end: found in one pass, however often a model that is stuck repeats itself. */

export interface Enclosed {
  inside: string
  /** Where the tag begins, and where its end ends. */
  from: number
  to: number
}

/** The first such part from `start` on; null where no tag has an end. */
export function enclosed(text: string, tag: string, start = 0): Enclosed | null {
  const [open, close] = [`<${tag}>`, `</${tag}>`]
  const from = text.indexOf(open, start)
  if (from < 0) return null
  const end = text.indexOf(close, from + open.length)
  if (end < 0) return null
  return { inside: text.slice(from + open.length, end), from, to: end + close.length }
}

/** All of them, and the text around them. */
export function allEnclosed(text: string, tag: string): { inside: string[]; around: string } {
  const inside: string[] = []
  const around: string[] = []
  let at = 0
  for (let found = enclosed(text, tag); found; found = enclosed(text, tag, at)) {
    inside.push(found.inside)
    around.push(text.slice(at, found.from))
    at = found.to
  }
  return { inside, around: around.join('') + text.slice(at) }
}
