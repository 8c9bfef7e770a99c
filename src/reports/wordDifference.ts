/** One run of words that two texts share, or that only one of them has. */
export interface WordRun {
  kind: 'same' | 'missing' | 'extra'
  text: string
}

/** Longer texts are compared as wholes: the table below grows with the product of their lengths. */
const LIMIT = 600

/**
 * How `predicted` departs from `actual`, word by word (longest common subsequence; punctuation marks count as words, white
 * space does not count): `missing` = only in actual, `extra` = only in predicted. Up to white space, the runs without
 * `missing` spell `predicted` and those without `extra` spell `actual`.
 */
export function wordDifference(predicted: string, actual: string): WordRun[] {
  const [from, to] = [words(actual), words(predicted)]
  if (from.length > LIMIT || to.length > LIMIT) {
    if (predicted === actual) return [{ kind: 'same', text: actual }]
    return [
      { kind: 'extra', text: predicted },
      { kind: 'missing', text: actual },
    ]
  }
  const common = commonLengths(from, to)
  const runs: WordRun[] = []
  const add = (kind: WordRun['kind'], word: Word) => {
    const last = runs.at(-1)
    if (last?.kind === kind) last.text += word.space + word.text
    else runs.push({ kind, text: word.space + word.text })
  }
  let [i, j] = [0, 0]
  while (i < from.length || j < to.length) {
    if (i < from.length && j < to.length && from[i].text === to[j].text) {
      add('same', from[i++])
      j++
    } else if (i >= from.length || (j < to.length && common[i][j + 1] >= common[i + 1][j])) add('extra', to[j++])
    else add('missing', from[i++])
  }
  return runs
}

interface Word {
  /** White space in front. */
  space: string
  text: string
}

function words(text: string): Word[] {
  return [...text.matchAll(/(\s*)([\p{L}\p{N}_]+|[^\s\p{L}\p{N}_])/gu)].map(([, space, word]) => ({
    space,
    text: word,
  }))
}

/** `lengths[i][j]` = words in common of `a` from i on and `b` from j on, in order. */
function commonLengths(a: readonly Word[], b: readonly Word[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const [down, right] = [lengths[i + 1][j], lengths[i][j + 1]]
      lengths[i][j] = a[i].text === b[j].text ? lengths[i + 1][j + 1] + 1 : Math.max(down, right)
    }
  }
  return lengths
}
