import type { Goal, Problem } from './problem.ts'

/** The planning problem as text, in the form that `parseProblem` and upstream's loader read. */
export function problemText(problem: Problem): string {
  const { name, objects, receptacles, canContain, start, goal } = problem
  const locations = new Set([start, ...receptacles.map(({ location }) => location)])
  for (const object of objects) for (const location of object.locations) locations.add(location)
  const receptacleTypes = new Set(receptacles.map(({ type }) => type))
  const objectTypes = new Set(objects.map(({ type }) => type))
  const declared = [
    'agent1 - agent',
    ...objects.map(({ id }) => `${id} - object`),
    ...[...objectTypes].map((type) => `${type}Type - otype`),
    ...receptacles.map(({ id }) => `${id} - receptacle`),
    ...[...receptacleTypes].map((type) => `${type}Type - rtype`),
    ...[...locations].map((id) => `${id} - location`),
  ]
  const facts = [
    ...receptacles.map(({ id, type }) => `receptacleType ${id} ${type}Type`),
    ...objects.map(({ id, type }) => `objectType ${id} ${type}Type`),
    ...[...canContain].flatMap(([type, held]) =>
      receptacleTypes.has(type)
        ? [...held].filter((other) => objectTypes.has(other)).map((other) => `canContain ${type}Type ${other}Type`)
        : [],
    ),
    ...objects.flatMap(({ id, properties }) => [...properties].map((property) => `${property} ${id}`)),
    ...objects.flatMap(({ id, cool }) => (cool ? [`isCool ${id}`] : [])),
    ...receptacles.flatMap(({ id, openable }) => (openable ? [`openable ${id}`] : [])),
    `atLocation agent1 ${start}`,
    ...objects.flatMap(({ id, inside }) => inside.map((receptacle) => `inReceptacle ${id} ${receptacle}`)),
    ...objects.flatMap(({ id, inner }) => inner.map((other) => `inReceptacleObject ${other} ${id}`)),
    ...receptacles.map(({ id, location }) => `receptacleAtLocation ${id} ${location}`),
    ...objects.flatMap(({ id, locations: at }) => at.map((location) => `objectAtLocation ${id} ${location}`)),
  ]
  return [
    `(define (problem ${name})`,
    '(:domain alfred)',
    '(:objects',
    ...declared.map((line) => `  ${line}`),
    ')',
    '(:init',
    ...facts.map((fact) => `  (${fact})`),
    ')',
    `(:goal ${goalText(goal)})`,
    ')',
    '',
  ].join('\n')
}

function goalText({ kind, object, receptacle, lamp }: Goal): string {
  if (kind === 'look') {
    const lit = `(objectType ?ot ${lamp}Type) (toggleable ?ot) (isToggled ?ot) (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r)`
    return `(and (exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and ${lit})) (exists (?o - object ?a - agent) (and (objectType ?o ${object}Type) (holds ?a ?o))))`
  }
  const lies = (variable: string) =>
    `(objectType ${variable} ${object}Type) (receptacleType ?r ${receptacle}Type) (inReceptacle ${variable} ?r)`
  if (kind === 'two') {
    const second = `(exists (?o2 - object) (and (not (= ?o1 ?o2)) ${lies('?o2')}))`
    return `(exists (?r - receptacle) (exists (?o1 - object) (and ${lies('?o1')} ${second})))`
  }
  const state = {
    place: '',
    clean: '(cleanable ?o) (isClean ?o) ',
    heat: '(heatable ?o) (isHot ?o) ',
    cool: '(coolable ?o) (isCool ?o) ',
  }[kind]
  return `(exists (?r - receptacle) (exists (?o - object) (and ${state}${lies('?o')})))`
}
