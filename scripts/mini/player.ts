import type { Random } from '../../src/core/index.ts'
import type { Goal } from './goal.ts'
import type { Memory } from './memory.ts'

/**
 * The player whose transcripts the miniature is trained on: acts on what it has seen (texts only), says in a short thought
 * what it needs and whether it sees it, and is no expert. How it errs is set per episode.
 */
export interface Habits {
  /** Share of steps that wander: a random possible command, with the thought `wander`. */
  wander: number
  /** Share of searches that go to a random place although another was never looked at. */
  forgetful: number
  /** Share of shut places that it leaves unopened. */
  shy: number
  /** Share of steps that are blunders: impossible commands. They stand in the transcript, but are not learned from. */
  blunder: number
}

export interface Move {
  thought: string
  command: string
  /** Not to be imitated: only what is done after it is. */
  blunder?: boolean
}

const TREATMENT_PLACE = { clean: 'sinkbasin', heat: 'microwave', cool: 'fridge' } as const
const typeOf = (name: string): string => name.split(' ')[0]

export class Player {
  constructor(
    private readonly goal: Goal,
    private readonly memory: Memory,
    private readonly habits: Habits,
    private readonly random: Random,
    /** How plausible it is to find an object of this type in this type of place. */
    private readonly plausible: (object: string, place: string) => number,
    private readonly moveCommand: (object: string, place: string) => string,
  ) {}

  /** `possible` are the admissible commands: used for wandering only. */
  next(possible: () => string[]): Move {
    const { random, habits } = this
    if (this.memory.here !== null && random.chance(habits.blunder)) return this.blunder(this.memory.here)
    if (random.chance(habits.wander)) return { thought: 'wander', command: this.wander(possible()) }
    return this.memory.holding === null ? this.seek() : this.carry(this.memory.holding)
  }

  /** What a model that does not look would do: take what is not there, go where it stands, open what is elsewhere. */
  private blunder(here: string): Move {
    const { random, memory, goal } = this
    const need = memory.holding === null ? `need ${goal.object}` : `have ${memory.holding} need ${goal.object}`
    const places = [...memory.places.keys()]
    const missing = [1, 2, 3].map((n) => `${goal.object} ${n}`).filter((item) => !memory.listing.includes(item))
    const options = [`go to ${here}`, `open ${random.pick(places)}`]
    if (missing.length > 0 && memory.holding === null) {
      const item = random.pick(missing)
      if (random.chance(0.6))
        return { thought: `${need} see ${item}`, command: `take ${item} from ${here}`, blunder: true }
    }
    return { thought: need, command: random.pick(options), blunder: true }
  }

  private wander(possible: string[]): string {
    const byVerb = new Map<string, string[]>()
    for (const command of possible) {
      const verb = command.split(' ')[0]
      if (verb === 'help') continue
      const weightless = verb === 'look' || verb === 'inventory'
      if (weightless && !this.random.chance(0.3)) continue
      byVerb.set(verb, [...(byVerb.get(verb) ?? []), command])
    }
    return this.random.pick(this.random.pick([...byVerb.values()]))
  }

  /** Number of goal objects that already lie in a target place. */
  private placed(): string[] {
    const { goal, memory } = this
    if (goal.treatment === 'look') return []
    return [...memory.places].flatMap(([name, place]) =>
      typeOf(name) === goal.target ? (place.items ?? []).filter((item) => this.isFinished(item)) : [],
    )
  }

  private isFinished(item: string): boolean {
    const { goal, memory } = this
    if (typeOf(item) !== goal.object) return false
    return goal.treatment === null || goal.treatment === 'look' || memory.done.has(`${goal.treatment} ${item}`)
  }

  private seek(): Move {
    const { goal, memory, habits, random } = this
    const need = `need ${goal.object}`
    const placed = this.placed()
    const listed = memory.listing.filter((item) => typeOf(item) === goal.object && !placed.includes(item))
    if (memory.here !== null && listed.length > 0) {
      const item = random.pick(listed)
      return { thought: `${need} see ${item}`, command: `take ${item} from ${memory.here}` }
    }
    const here = memory.here === null ? undefined : memory.places.get(memory.here)
    if (here && here.items === null && here.shut === null) return { thought: need, command: `examine ${memory.here}` }
    const closed = here?.shut && (here.items === null || here.items.some((item) => typeOf(item) === goal.object))
    if (closed && !random.chance(habits.shy)) return { thought: `${need} see shut`, command: `open ${memory.here}` }
    const thought = memory.here === null ? need : `${need} see ${closed ? 'shut' : 'none'}`
    return { thought, command: `go to ${this.searchPlace(placed)}` }
  }

  /** Where to look next: where the object was seen, else somewhere not yet looked at, more often where such things are kept. */
  private searchPlace(placed: string[]): string {
    const { goal, memory, habits, random } = this
    const others = [...memory.places].filter(([name]) => name !== memory.here)
    const known = others.filter(([, place]) =>
      (place.items ?? []).some((item) => typeOf(item) === goal.object && !placed.includes(item)),
    )
    if (random.chance(habits.forgetful)) return random.pick(others)[0]
    if (known.length > 0) return random.pick(known)[0]
    const fresh = others.filter(([, place]) => place.items === null)
    return random.weighted(
      fresh.length > 0 ? fresh : others,
      ([name]) => 0.15 + this.plausible(goal.object, typeOf(name)),
    )[0]
  }

  private carry(item: string): Move {
    const { goal, memory } = this
    const have = `have ${item}`
    if (typeOf(item) !== goal.object) return this.putDown(item)
    if (goal.treatment === 'look') return this.light(item)
    if (!this.isFinished(item)) {
      const treatment = goal.treatment as 'clean' | 'heat' | 'cool'
      const place = TREATMENT_PLACE[treatment]
      const thought = `${have} ${treatment} it`
      if (memory.here !== null && typeOf(memory.here) === place) {
        return { thought, command: `${treatment} ${item} with ${memory.here}` }
      }
      return { thought, command: `go to ${this.nearestOf(place)}` }
    }
    const thought = `${have} put in ${goal.target}`
    const before = this.placed().map(
      (other) => [...memory.places].find(([, place]) => place.items?.includes(other))?.[0],
    )
    const target =
      before[0] ??
      (memory.here !== null && typeOf(memory.here) === goal.target ? memory.here : this.nearestOf(goal.target))
    if (memory.here !== target) return { thought, command: `go to ${target}` }
    if (memory.places.get(target)?.shut) return { thought, command: `open ${target}` }
    return { thought, command: this.moveCommand(item, target) }
  }

  /** Rid of something it does not need: here if it is open, else somewhere else. */
  private putDown(item: string): Move {
    const { memory, random, goal } = this
    const thought = `have ${item} need ${goal.object}`
    if (memory.here !== null && memory.places.get(memory.here)?.shut !== true && random.chance(0.8)) {
      return { thought, command: this.moveCommand(item, memory.here) }
    }
    return {
      thought,
      command: `go to ${random.pick([...memory.places.keys()].filter((name) => name !== memory.here))}`,
    }
  }

  private light(item: string): Move {
    const { memory, goal, random } = this
    const need = `have ${item} need ${goal.target}`
    const lamp = memory.listing.find((other) => typeOf(other) === goal.target)
    if (lamp) return { thought: `${need} see ${lamp}`, command: `use ${lamp}` }
    const here = memory.here === null ? undefined : memory.places.get(memory.here)
    if (here?.shut && here.items === null) return { thought: `${need} see shut`, command: `open ${memory.here}` }
    const thought = `${need} see ${here?.shut ? 'shut' : 'none'}`
    const others = [...memory.places].filter(([name]) => name !== memory.here)
    const known = others.filter(([, place]) => (place.items ?? []).some((other) => typeOf(other) === goal.target))
    if (known.length > 0) return { thought, command: `go to ${random.pick(known)[0]}` }
    const fresh = others.filter(([, place]) => place.items === null)
    const weight = ([name]: [string, unknown]) => 0.15 + this.plausible(goal.target, typeOf(name))
    return { thought, command: `go to ${random.weighted(fresh.length > 0 ? fresh : others, weight)[0]}` }
  }

  private nearestOf(type: string): string {
    const names = [...this.memory.places.keys()].filter((name) => typeOf(name) === type)
    const elsewhere = names.filter((name) => name !== this.memory.here)
    return this.random.pick(elsewhere.length > 0 ? elsewhere : [...this.memory.places.keys()])
  }
}
