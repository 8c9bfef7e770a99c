/** Rough width in pixels of a text in the page's sans-serif; charts are drawn without a browser to measure in. */
export function textWidth(text: string, size: number): number {
  let units = 0
  for (const character of text)
    units += /[ilj.,;:'|!() ]/.test(character) ? 0.33 : /[A-Zmw%→]/.test(character) ? 0.8 : 0.55
  return units * size
}

/** Cut to a width, with an ellipsis. */
export function fitText(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text
  const characters = [...text]
  while (characters.length > 1 && textWidth(`${characters.join('')}…`, size) > width) characters.pop()
  return `${characters.join('').trimEnd()}…`
}

/** Move the centres of labels apart to at least `gap`, keeping their order and the bounds as far as there is room. */
export function spreadLabels(
  centres: readonly number[],
  gap: number,
  [low, high]: readonly [number, number],
): number[] {
  const order = centres.map((_, index) => index).sort((a, b) => centres[a] - centres[b] || a - b)
  const placed = [...centres]
  let floor = low
  for (const index of order) {
    placed[index] = Math.max(placed[index], floor)
    floor = placed[index] + gap
  }
  let ceiling = high
  for (const index of order.reverse()) {
    placed[index] = Math.min(placed[index], ceiling)
    ceiling = placed[index] - gap
  }
  return placed
}
