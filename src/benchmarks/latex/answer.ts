/** The content of the last `\boxed{…}` (or `\fbox{…}`, `\boxed 5`) of a text; null where there is none, or it never closes. */
export function boxed(text: string): string | null {
  const starts = [...text.matchAll(/\\(?:boxed|fbox)\s*/g)]
  for (const start of starts.toReversed()) {
    const at = start.index + start[0].length
    if (text[at] !== '{') {
      const plain = /^[^\s$.,]+/.exec(text.slice(at))
      if (plain) return plain[0]
      continue
    }
    const end = closing(text, at)
    if (end > 0) return text.slice(at + 1, end).trim()
  }
  return null
}

/** Index of the brace that closes the one at `open`; -1 where none does. */
export function closing(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '{') depth++
    else if (text[at] === '}' && --depth === 0) return at
  }
  return -1
}

/** What a reply gives as its answer: the last boxed one, else what follows "answer is", else the last formula. */
export function finalAnswer(reply: string): string | null {
  const inBox = boxed(reply)
  if (inBox !== null) return inBox
  const told = [...reply.matchAll(/answer(?: is|:)\s*:?\s*([^\n]+)/gi)].at(-1)?.[1]
  const formula = (text: string) => [...text.matchAll(/\$([^$]+)\$/g)].at(-1)?.[1]
  if (told !== undefined) return (formula(told) ?? told.replace(/^[\s*]+|[.\s*]+$/g, '')) || null
  return formula(reply)?.trim() ?? null
}
