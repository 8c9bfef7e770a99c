/**
 * Conversations that are open at once, a process of its own so that nothing else is counted: opens as many as its first
 * argument says, plays some turns of each with random calls and the scripted user, and prints what that takes as JSON.
 */
import { randomPlayer, type View } from '../../src/agents/index.ts'
import { type Tau2Episode, tau2Environment } from '../../src/environments/tau2/index.ts'

const [count, turns] = process.argv.slice(2).map(Number)
const environment = tau2Environment()
const tasks = environment.tasks('train')
const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20)

const open: { episode: Tau2Episode; history: View['history'] }[] = []
let played = 0
const started = performance.now()
for (let index = 0; open.length < count; index++) {
  const task = tasks[index % tasks.length]
  const episode = await environment.open(task, { seed: index })
  const player = randomPlayer(index)
  const history: View['history'] = []
  let done = false
  while (history.length < turns && !done) {
    const { instruction, tools } = task
    const action = await player.act({ instruction, tools, initial: episode.initial, history })
    if (!action) break
    const result = await episode.step(action)
    history.push({ reply: '', action, observation: result.observation })
    done = result.done || result.truncated
    played++
  }
  // One that has ended is not open.
  if (!done) open.push({ episode, history })
}
const seconds = (performance.now() - started) / 1000
const rss = process.memoryUsage().rss
globalThis.gc?.()
const messages = open.reduce((sum, { episode }) => sum + episode.messages.length, 0) / open.length
console.log(
  JSON.stringify({
    heap: megabytes(process.memoryUsage().heapUsed),
    rss: megabytes(rss),
    messages: Number(messages.toFixed(1)),
    turnsPerSecond: Math.round(played / seconds),
  }),
)
