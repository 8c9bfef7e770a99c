/**
 * Display names: identifiers are grouped by what stands before the first `_bar_` (plus `basin` where the identifier has
 * it) and numbered from the highest down in ascending order, so the first of three drawers is `drawer 3`.
 */

/** Order of identifiers in every text: by their lower-case spelling, code unit by code unit. */
export function compareIds(a: string, b: string): number {
  const x = a.toLowerCase()
  const y = b.toLowerCase()
  return x < y ? -1 : x > y ? 1 : 0
}

/** The name without its number: `Sink_bar_…_bar_SinkBasin` → `sinkbasin`. */
export function baseName(id: string): string {
  const lower = id.toLowerCase()
  const end = lower.indexOf('_bar_')
  const base = end < 0 ? lower : lower.slice(0, end)
  return lower.includes('basin') ? `${base}basin` : base
}

/** Identifier → display name, for all identifiers of one household (objects, receptacles and locations together). */
export function displayNames(ids: Iterable<string>): Map<string, string> {
  const groups = new Map<string, string[]>()
  for (const id of ids) {
    const base = baseName(id)
    const group = groups.get(base)
    if (group) group.push(id)
    else groups.set(base, [id])
  }
  const names = new Map<string, string>()
  for (const [base, group] of groups) {
    group.sort(compareIds)
    for (const [index, id] of group.entries()) names.set(id, `${base} ${group.length - index}`)
  }
  return names
}

/** `nothing`; `a X`; `a X, and a Y`; `a X, a Y, and a Z`. The article is always `a`. */
export function listWithArticles(names: readonly string[]): string {
  if (names.length === 0) return 'nothing'
  return joined(names.map((name) => `a ${name}`))
}

/** Names without articles, the last one after `, and `. */
export function joined(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? 'nothing'
  return `${names.slice(0, -1).join(', ')}, and ${names[names.length - 1]}`
}
