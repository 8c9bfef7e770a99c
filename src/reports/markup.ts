/** HTML and SVG as values: plain strings are always escaped, only `Markup` made here goes in as it is. */
export interface Markup {
  readonly markup: string
}

export type Attributes = Record<string, string | number | undefined>

const VOID = new Set(['meta', 'br', 'hr'])

/** Text safe between tags and inside double-quoted attributes; control characters become spaces. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, (c) => (c === '\n' || c === '\t' ? c : ' '))
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;')
}

/** Coordinates need no more than two decimals. A number that is not finite is a mistake of the caller, never written. */
function attributeValue(name: string, value: string | number): string {
  if (typeof value === 'string') return escapeMarkup(value)
  if (!Number.isFinite(value)) throw new Error(`attribute ${name} is ${value}`)
  return String(Math.round(value * 100) / 100)
}

/** One element. Attributes that are undefined are left out. */
export function element(name: string, attributes: Attributes, ...children: (Markup | string)[]): Markup {
  const open = Object.entries(attributes)
    .filter((entry): entry is [string, string | number] => entry[1] !== undefined)
    .map(([key, value]) => ` ${key}="${attributeValue(key, value)}"`)
    .join('')
  if (VOID.has(name)) return { markup: `<${name}${open}>` }
  return { markup: `<${name}${open}>${join(children).markup}</${name}>` }
}

export function join(parts: readonly (Markup | string)[], separator = ''): Markup {
  return {
    markup: parts.map((part) => (typeof part === 'string' ? escapeMarkup(part) : part.markup)).join(separator),
  }
}

/** A style sheet or a script of our own: not escaped, so it must never carry outside text. */
export function raw(text: string): Markup {
  return { markup: text }
}
