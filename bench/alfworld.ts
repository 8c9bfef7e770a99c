import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../src/core/index.ts'
import {
  alfworldEnvironment,
  expertPlan,
  GAME_FILE,
  type Game,
  generateHouse,
  loadGame,
  Play,
} from '../src/environments/alfworld/index.ts'
import type { Row } from './row.ts'

/**
 * Speeds of ALFWorld on one core: steps with the admissible list computed at every step, loading, scanning, generating,
 * planning, and memory after many episodes. Real games are used where the shared data is at hand, generated ones elsewhere.
 */
export async function benchAlfworld(): Promise<Row[]> {
  const data = join(process.env.RWML_SHARED ?? '../shared', 'data', 'alfworld')
  const real = existsSync(data)
  const rows: Row[] = []
  const games = real ? benchData(data, rows) : generatedGames(100)
  rows.push({ name: 'alfworld steps, admissible list included', ...stepsPerSecond(games), target: '>= 20000' })
  rows.push({ name: 'alfworld expert plans', ...rate(games, (game) => expertPlan(new Play(game).world)) })
  for (const size of ['small', 'full'] as const) {
    const seeds = Array.from({ length: 1000 }, (_, index) => index)
    const value = rate(seeds, (seed) => generateHouse({ seed, size, split: 'train' }))
    rows.push({ name: `alfworld ${size} households generated`, ...value, target: '>= 1000' })
  }
  rows.push({ name: 'alfworld heap growth over 100,000 episodes', ...heapGrowth(games), target: '<= 5' })
  return rows
}

function benchData(data: string, rows: Row[]): Game[] {
  const started = performance.now()
  const environment = alfworldEnvironment({ data, warn: () => {} })
  const ids = environment.splits().flatMap((split) => environment.tasks(split).map(({ id }) => id))
  rows.push({
    name: `alfworld scan of ${ids.length} games`,
    value: Math.round(performance.now() - started),
    unit: 'ms',
    target: '<= 1000',
  })
  const loading = performance.now()
  const games = ids.map((id) => loadGame(join(data, 'json_2.1.1', id, GAME_FILE), id))
  const value = Number(((performance.now() - loading) / games.length).toFixed(2))
  rows.push({ name: 'alfworld game load', value, unit: 'ms', target: '<= 5' })
  return games
}

function generatedGames(count: number): Game[] {
  return Array.from({ length: count }, (_, seed) => generateHouse({ seed, size: 'full', split: 'train' }).game)
}

function rate<T>(items: T[], work: (item: T) => unknown): { value: number; unit: string } {
  const started = performance.now()
  for (const item of items) work(item)
  return { value: Math.round(items.length / ((performance.now() - started) / 1000)), unit: '1/s' }
}

/** Random admissible commands for about two seconds. */
function stepsPerSecond(games: Game[]): { value: number; unit: string } {
  const random = new Random('bench alfworld')
  const started = performance.now()
  let steps = 0
  for (let turn = 0; performance.now() - started < 2000; turn++) {
    steps += randomEpisode(games[turn % games.length], 50, random)
  }
  return { value: Math.round(steps / ((performance.now() - started) / 1000)), unit: 'steps/s' }
}

function randomEpisode(game: Game, length: number, random: Random): number {
  const play = new Play(game)
  for (let step = 0; step < length; step++) {
    if (play.step(random.pick(play.admissible())).won) return step + 1
  }
  return length
}

/** Megabytes of heap between 10,000 and 100,000 episodes of ten steps. Collected garbage only with `--expose-gc`. */
function heapGrowth(games: Game[]): { value: number; unit: string } {
  const random = new Random('bench alfworld heap')
  const used = () => {
    globalThis.gc?.()
    return process.memoryUsage().heapUsed
  }
  let before = 0
  for (let episode = 0; episode < 100_000; episode++) {
    if (episode === 10_000) before = used()
    randomEpisode(games[episode % games.length], 10, random)
  }
  return { value: Number(((used() - before) / 2 ** 20).toFixed(1)), unit: 'MB' }
}
