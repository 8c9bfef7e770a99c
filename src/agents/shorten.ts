/**
 * The fewest of the oldest turns to leave out so that a prompt fits, and never the last turn, which holds the current
 * observation. Null where even then it does not fit.
 * @param turns in the history.
 * @param fits whether the prompt without that many turns fits; leaving out more does not make it longer.
 */
export function turnsToOmit(turns: number, fits: (omitted: number) => boolean): number | null {
  let low = 0
  let high = Math.max(0, turns - 1)
  if (!fits(high)) return null
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) high = middle
    else low = middle + 1
  }
  return high
}
