import { CLEAN, COOL, expertPlan, type Game, HOT, NOTHING, Play, type World } from '../../environments/index.ts'
import type { Message } from '../../tokens/index.ts'

/** A household solved by the planner, as a conversation in the words of the miniature. */
export function demonstration(game: Game): Message[] {
  const play = new Play(game)
  const messages: Message[] = [{ role: 'user', content: play.initial }]
  for (let step = 0; ; step++) {
    const command = expertPlan(play.world)?.[0]
    if (command === undefined) throw new Error(`${game.id} has no plan after ${step} steps`)
    messages.push({ role: 'assistant', content: `<thinking>${thought(play.world, step === 0)}</thinking>${command}` })
    const { observation, won } = play.step(command)
    if (won) return messages
    messages.push({ role: 'user', content: observation })
  }
}

/** What the miniature says to itself: what it needs, and whether it sees it; what it holds, and what comes next. */
function thought(world: World, atStart: boolean): string {
  const { game, held } = world
  const { goal } = game
  const wanted = goal.object.toLowerCase()
  if (held === NOTHING) return `need ${wanted}${atStart ? '' : ` see ${sight(world, goal.objects.filter((one) => !placed(world, one)))}`}`
  const have = `have ${game.objects[held].name}`
  if (goal.kind === 'look') {
    const sees = sight(world, goal.lamps)
    return `${have} need ${goal.lamp?.toLowerCase()} see ${sees}`
  }
  const treatment = { clean: CLEAN, heat: HOT, cool: COOL, place: 0, two: 0 }[goal.kind]
  if ((world.state[held] & treatment) !== treatment) return `${have} ${goal.kind} it`
  return `${have} put in ${goal.receptacle?.toLowerCase()}`
}

/** It lies where it is to go. */
function placed({ game, contents }: World, object: number): boolean {
  return game.goal.receptacles.some((receptacle) => contents[receptacle].includes(object))
}

/** The first of these things that can be seen here, or that the place is shut, or none. */
function sight(world: World, things: readonly number[]): string {
  const here = world.game.locations[world.location].receptacles
  const seen = things.find((thing) => here.some((at) => world.isAccessible(at) && world.contents[at].includes(thing)))
  if (seen !== undefined) return world.game.objects[seen].name
  return here.every((at) => !world.isAccessible(at)) && here.length > 0 ? 'shut' : 'none'
}
