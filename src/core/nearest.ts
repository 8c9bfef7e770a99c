/** What is longer than this is no mistyped name: only its beginning is compared. */
const LONGEST = 60

/** The known name that is fewest edits away from a mistyped one; null where more than half of it would have to change. */
export function nearest(name: string, known: readonly string[]): string | null {
  const short = name.slice(0, LONGEST)
  const distances = known.map((one) => edits(short.toLowerCase(), one.toLowerCase()))
  const least = Math.min(...distances)
  return least <= Math.ceil(short.length / 2) ? known[distances.indexOf(least)] : null
}

/** Levenshtein distance. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
    }
    row = next
  }
  return row[b.length]
}
