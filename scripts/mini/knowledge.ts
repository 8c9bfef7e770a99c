import { STANDS_IN } from '../../src/environments/alfworld/tables.ts'
import type { CorpusKnowledge } from './corpus.ts'

/** What players take for plausible: how often things of a type stood in places of a type (the generator's tables). */
export function corpusKnowledge(): CorpusKnowledge {
  const shares = new Map<string, Map<string, number>>()
  for (const [object, places] of Object.entries(STANDS_IN)) {
    const total = Object.values(places).reduce((sum, weight) => sum + weight, 0)
    const byPlace = Object.entries(places).map(([place, weight]): [string, number] => [
      place.toLowerCase(),
      weight / total,
    ])
    shares.set(object.toLowerCase(), new Map(byPlace))
  }
  return {
    plausible: (object, place) => shares.get(object)?.get(place) ?? 0,
    objects: [...shares.keys()],
    places: [...new Set([...shares.values()].flatMap((byPlace) => [...byPlace.keys()]))],
  }
}
