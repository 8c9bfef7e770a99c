import type { Phone } from '../usermodels.ts'

/** The phone's settings that are either on or off. */
export type SwitchName = {
  [K in keyof Phone]: Phone[K] extends boolean ? K : never
}[keyof Phone]

export function onOff(isOn: boolean): string {
  return isOn ? 'ON' : 'OFF'
}

export function yesNo(is: boolean): string {
  return is ? 'Yes' : 'No'
}

/**
 * Brings a setting to a state by toggling it, once or twice: so do upstream's methods, and all that a toggle does besides
 * happens each time.
 */
export function toggleUntil(wanted: boolean, toggle: () => boolean): void {
  if (toggle() !== wanted) toggle()
}
