/**
 * Colours are named by place, not by value: the style sheet gives each class its colour in light and dark. Okabe and Ito's
 * colours, adjusted for contrast: told apart also without red and green.
 */
const ARMS = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5']

/** The class of the n-th arm (or stage); the first, the base, is grey. */
export function colourOf(index: number): string {
  return index < ARMS.length ? ARMS[index] : ARMS[1 + ((index - 1) % (ARMS.length - 1))]
}

/** World-model training and policy training keep the colours of the arms they lead to; other work is grey, SFT green. */
export function stageColour(stage: string): string {
  if (/policy/i.test(stage)) return ARMS[2]
  if (/sft/i.test(stage)) return ARMS[3]
  return /world.?model/i.test(stage) ? ARMS[1] : ARMS[0]
}

/** Baselines and whatever else stands beside the arms. */
export const NEUTRAL = 'cn'
