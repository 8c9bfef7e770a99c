/** Which token sequence lives in which slot of the cache; reuse, eviction, and keeping the active ones in front. */
import { capacityFor, KvArena } from './arena.ts'
import type { DecoderShape } from './decode-graph.ts'
import { commonPrefix } from './prefix.ts'

/** Searching a slot takes time in proportion to their number; more than this are not worth it. */
const MOST_SLOTS = 1024

/** A token sequence whose first `arena.lengths[slot]` tokens have keys and values in a slot. */
export interface Sequence {
  tokens: number[]
  /** -1 once evicted. */
  slot: number
  /** In the batch; inactive sequences are only held for reuse. */
  active: boolean
  lastUse: number
  /** The sequence that took over the slot, starting with these tokens. */
  successor: Sequence | undefined
}

export class SequencePool {
  readonly arena: KvArena
  /** Active sequences occupy the first slots, possibly with finished ones between them. */
  activeCount = 0
  private readonly owners: (Sequence | undefined)[] = []
  private readonly bytesPerToken: number
  private readonly cacheBytes: number
  private clock = 0

  /** `cacheBytes` bounds keys and values, except that what is active always fits. */
  constructor(shape: DecoderShape, cacheBytes: number) {
    this.arena = new KvArena(shape)
    this.bytesPerToken = KvArena.bytesPerToken(shape)
    this.cacheBytes = cacheBytes
  }

  /** How many slots with room for `rows` rows the memory bound allows; at least one. */
  slotsFor(rows: number): number {
    const bytes = this.bytesPerToken * capacityFor(rows)
    return Math.max(1, Math.min(MOST_SLOTS, Math.floor(this.cacheBytes / bytes)))
  }

  /** Sequences held, active or not, by slot. */
  held(): Sequence[] {
    return this.owners.filter((owner) => owner !== undefined)
  }

  at(slot: number): Sequence | undefined {
    return this.owners[slot]
  }

  touch(sequence: Sequence): void {
    sequence.lastUse = ++this.clock
  }

  private evict(sequence: Sequence): void {
    this.owners[sequence.slot] = undefined
    this.arena.setLength(sequence.slot, 0)
    sequence.slot = -1
  }

  private leastRecent(spared?: Sequence): Sequence | undefined {
    let oldest: Sequence | undefined
    for (const owner of this.owners) {
      if (!owner || owner.active || owner === spared) continue
      if (!oldest || owner.lastUse < oldest.lastUse) oldest = owner
    }
    return oldest
  }

  private exchange(a: number, b: number): void {
    if (a === b) return
    this.arena.swap(a, b)
    const [ownerA, ownerB] = [this.owners[a], this.owners[b]]
    this.owners[a] = ownerB
    this.owners[b] = ownerA
    if (ownerB) ownerB.slot = a
    if (ownerA) ownerA.slot = b
  }

  /** Room for rows of `rows` tokens in every slot, and for `slots` slots as far as the memory bound allows. */
  reserve(slots: number, rows: number): void {
    const allowed = Math.max(this.activeCount, this.slotsFor(Math.max(this.arena.capacity, rows)))
    while (this.arena.slots > allowed) {
      const last = this.arena.slots - 1
      const owner = this.owners[last]
      if (owner) {
        // Keep the recently used: the last slot's sequence moves to a free or older one's place.
        const free = this.firstFree()
        if (free >= 0 && free < last) this.exchange(last, free)
        else {
          const oldest = this.leastRecent()
          if (!oldest) break
          const place = oldest.slot
          this.evict(oldest)
          this.exchange(last, place)
        }
      }
      this.owners.length = last
      this.arena.truncate(last)
    }
    this.arena.reserve(Math.min(Math.max(slots, this.arena.slots), Math.max(allowed, this.arena.slots)), rows)
    while (this.owners.length < this.arena.slots) this.owners.push(undefined)
  }

  private firstFree(): number {
    for (let slot = 0; slot < this.arena.slots; slot++) if (!this.owners[slot]) return slot
    return -1
  }

  /** What of `from` serves a sequence with these tokens, the last of which is to be computed in any case. */
  private reuse(tokens: readonly number[], from?: Sequence): { source?: Sequence; common: number; inPlace: boolean } {
    let source = from
    while (source?.successor) source = source.successor
    if (!source || source.slot < 0) return { common: 0, inPlace: false }
    const rows = this.arena.lengths[source.slot]
    const common = Math.min(commonPrefix(tokens, source.tokens), rows, tokens.length - 1)
    // Its slot is taken over where that loses at most one row.
    return { source, common, inPlace: !source.active && common > 0 && common >= rows - 1 }
  }

  /** Whether `start` would need a slot of its own. */
  needsSlot(tokens: readonly number[], from?: Sequence): boolean {
    return !this.reuse(tokens, from).inPlace
  }

  /**
   * Start a sequence with these tokens, of which at least the last is still to be computed. Takes over the slot of `from`
   * where that loses (almost) nothing, else copies what is common into another slot. It becomes active, but not yet in
   * the front: see `gather`.
   */
  start(tokens: number[], from?: Sequence): Sequence {
    const { source, common, inPlace } = this.reuse(tokens, from)
    const sequence: Sequence = {
      tokens: [...tokens],
      slot: -1,
      active: true,
      lastUse: ++this.clock,
      successor: undefined,
    }
    if (source && inPlace) {
      sequence.slot = source.slot
      source.slot = -1
      source.successor = sequence
      this.arena.setLength(sequence.slot, common)
    } else {
      sequence.slot = this.firstFree()
      if (sequence.slot < 0 && this.arena.slots < this.slotsFor(this.arena.capacity)) {
        sequence.slot = this.arena.slots
        this.reserve(Math.max(16, Math.ceil(this.arena.slots * 1.25)), 0)
      }
      if (sequence.slot < 0) {
        const oldest = this.leastRecent(source) ?? this.leastRecent()
        if (!oldest) throw new Error('no slot is free or can be freed')
        sequence.slot = oldest.slot
        this.evict(oldest)
        // Only the source itself was left to evict: its rows are still there.
        if (oldest === source) this.arena.setLength(sequence.slot, common)
      }
      if (source && source.slot >= 0 && common > 0) this.arena.copy(source.slot, sequence.slot, common)
    }
    this.owners[sequence.slot] = sequence
    return sequence
  }

  /** Bring these active sequences into the slots [first, first + sequences.length) with as few moves as possible. */
  gather(sequences: readonly Sequence[], first: number): void {
    const end = first + sequences.length
    const members = new Set(sequences)
    let place = first
    for (const sequence of sequences) {
      if (sequence.slot >= first && sequence.slot < end) continue
      while (members.has(this.owners[place] as Sequence)) place++
      this.exchange(sequence.slot, place)
    }
  }

  /**
   * Order the sequences that fill the slots from `first` on roughly by `size`, so that neighbours are alike: exactly enough
   * to put each into its quarter, since every move copies keys and values.
   */
  arrange(sequences: readonly Sequence[], first: number, size: (sequence: Sequence) => number): void {
    const sorted = sequences.toSorted((a, b) => size(a) - size(b) || a.slot - b.slot)
    const quarter = Math.max(8, Math.ceil(sorted.length / 4))
    for (let start = 0; start < sorted.length; start += quarter) {
      this.gather(sorted.slice(start, start + quarter), first + start)
    }
  }

  clear(): void {
    for (const owner of this.owners) if (owner) owner.slot = -1
    this.owners.length = 0
    this.activeCount = 0
    this.arena.clear()
  }
}
