/**
 * Whether each piece of information was told: its text is in one of the assistant's messages, in any case, and without
 * the message's commas.
 */
export function communicated(information: readonly string[], texts: readonly string[]): boolean[] {
  const told = texts.map((text) => text.toLowerCase().replaceAll(',', ''))
  return information.map((one) => told.some((text) => text.includes(one.toLowerCase())))
}
