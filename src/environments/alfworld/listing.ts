/**
 * What the texts say lies where the agent stands: read from observations alone, as a player reads them. It measures
 * grounding (does `take apple 1 from shelf 2` name something that was listed there?) and tells first visits from revisits.
 */

/** A receptacle as an observation describes it; `objects` is null behind a closed door. */
export interface Description {
  receptacle: string
  objects: string[] | null
}

const CLOSED = /^The (.+ \d+) is closed\.$/
const OPEN = /^The (.+ \d+) is open\. In it, you see (.+)\.$/
const SURFACE = /^On the (.+ \d+), you see (.+)\.$/
const ARRIVE = /^You arrive at [^.]+\. /
const OPENING = /^You open the [^.]+\. /
const TAKEN = /^You pick up the (.+ \d+) from the (.+ \d+)\.$/
const PLACED = /^You (?:move the (.+ \d+) to|put the (.+ \d+) in\/on) the (.+ \d+)\.$/
const SHUT = /^You close the (.+ \d+)\.$/

/** The receptacle that an answer to `go to`, `open` or `examine` describes. */
export function described(observation: string): Description | undefined {
  const text = observation.replace(ARRIVE, '').replace(OPENING, '')
  const closed = CLOSED.exec(text)
  if (closed) return { receptacle: closed[1], objects: null }
  const listed = OPEN.exec(text) ?? SURFACE.exec(text)
  return listed ? { receptacle: listed[1], objects: listedNames(listed[2]) } : undefined
}

/** `a apple 1, and a mug 2` → both names; `nothing` → none. */
export function listedNames(list: string): string[] {
  if (list === 'nothing') return []
  return list.split(/, and |, /).map((item) => item.replace(/^a /, ''))
}

/** Receptacle → objects last listed there, for the receptacles seen since the agent came to where it stands. */
export type Listing = Map<string, string[]>

/** The listing after a number of observations, the oldest first. */
export function currentListing(observations: Iterable<string>): Listing {
  const listing: Listing = new Map()
  for (const observation of observations) follow(listing, observation)
  return listing
}

/** Bring a listing up to date with one more observation. */
export function follow(listing: Listing, observation: string): void {
  if (ARRIVE.test(observation)) listing.clear()
  const seen = described(observation)
  if (seen?.objects) listing.set(seen.receptacle, seen.objects)
  else if (seen) listing.delete(seen.receptacle)
  const taken = TAKEN.exec(observation)
  if (taken) {
    const [, object, receptacle] = taken
    const left = listing.get(receptacle)?.filter((other) => other !== object)
    if (left) listing.set(receptacle, left)
  }
  const placed = PLACED.exec(observation)
  if (placed) listing.get(placed[3])?.push(placed[1] ?? placed[2])
  const shut = SHUT.exec(observation)
  if (shut) listing.delete(shut[1])
}

/** Does a `take o from r` name an object listed in r where the agent stands? Null for every other command. */
export function isGroundedTake(command: string, listing: Listing): boolean | null {
  const take = /^take (.+) from (.+)$/.exec(command.trim())
  return take ? (listing.get(take[2])?.includes(take[1]) ?? false) : null
}
