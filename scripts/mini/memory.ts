/** What a player knows from the texts alone: where it stands, what it holds, what it saw where. Never looks at the game's state. */

export interface Place {
  /** Known contents when last seen; null while never seen inside. */
  items: string[] | null
  /** Shut when last seen; null while unknown. */
  shut: boolean | null
  /** Has a door: seen closed, or seen open. */
  door: boolean
}

/** Items of a listing such as `a mug 1, a pen 2, and a cd 1`; `nothing` is the empty list. */
export function parseListing(text: string): string[] {
  return [...text.matchAll(/\ba ([a-z]+ \d+)/g)].map((match) => match[1])
}

/** The same the other way round: items as the games list them. */
export function listed(items: string[]): string {
  if (items.length === 0) return 'nothing'
  const named = items.map((item) => `a ${item}`)
  if (named.length === 1) return named[0]
  if (named.length === 2) return `${named[0]}, and ${named[1]}`
  return `${named.slice(0, -1).join(', ')}, and ${named[named.length - 1]}`
}

export class Memory {
  readonly places = new Map<string, Place>()
  here: string | null = null
  holding: string | null = null
  /** Objects that were cleaned, heated, cooled: `heat apple 1`. */
  readonly done = new Set<string>()

  constructor(intro: string) {
    const room = /you see ([\s\S]*?)\.\n/.exec(intro)
    for (const name of parseListing(room ? room[1] : ''))
      this.places.set(name, { items: null, shut: null, door: false })
  }

  /** Whether the contents of the place the player stands at can be seen. */
  get listing(): string[] {
    const place = this.here === null ? undefined : this.places.get(this.here)
    return place && place.shut !== true ? (place.items ?? []) : []
  }

  observe(action: string, observation: string): void {
    const [verb] = action.split(' ', 1)
    // A `go to` that fails names a place the player already stands beside: it can be used from here.
    if (verb === 'go' && this.places.has(action.slice('go to '.length))) this.here = action.slice('go to '.length)
    if (observation === 'Nothing happens.') return
    const listed = /you see (.*)\.$/.exec(observation)
    if (verb === 'go' || verb === 'open' || verb === 'close' || verb === 'examine') {
      const name = verb === 'go' ? this.here! : action.slice(verb.length + 1)
      const place = this.places.get(name)
      if (!place) return
      if (verb === 'close' || observation.endsWith('is closed.')) {
        place.shut = true
        place.door = true
      } else {
        if (verb === 'open' || observation.includes(' is open.')) place.door = true
        place.shut = false
        if (listed) place.items = parseListing(listed[1])
      }
      return
    }
    const taken = /^take (.+) from (.+)$/.exec(action)
    if (taken) {
      this.holding = taken[1]
      const place = this.places.get(taken[2])
      if (place?.items) place.items = place.items.filter((item) => item !== taken[1])
      return
    }
    const moved = /^(?:move (.+) to|put (.+) in\/on) (.+)$/.exec(action)
    if (moved) {
      this.holding = null
      const place = this.places.get(moved[3])
      if (place) place.items = [...(place.items ?? []), moved[1] ?? moved[2]]
      return
    }
    const treated = /^(clean|heat|cool) (.+) with /.exec(action)
    if (treated) this.done.add(`${treated[1]} ${treated[2]}`)
  }
}
