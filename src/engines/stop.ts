/** Whether the first `length` of `tokens` end with one of the stop sequences; empty ones never match. */
export function endsWithStop(
  tokens: readonly number[],
  stop: readonly (readonly number[])[],
  length: number = tokens.length,
): boolean {
  return stop.some(
    (sequence) =>
      sequence.length > 0 &&
      sequence.length <= length &&
      sequence.every((token, i) => tokens[length - sequence.length + i] === token),
  )
}

/** How many of `tokens` there are up to the end of the first stop sequence in them; null where there is none. */
export function endOfStop(tokens: readonly number[], stop: readonly (readonly number[])[]): number | null {
  for (let length = 1; length <= tokens.length; length++) if (endsWithStop(tokens, stop, length)) return length
  return null
}
