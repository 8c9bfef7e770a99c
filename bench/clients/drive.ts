/**
 * One client in a process of its own: `drive.ts CLIENT URL TOKENS SAMPLES RUNS FOLDER` asks for so many samples at once, again and
 * again, and prints what each run took. The first is not counted.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openTinkerEngine, VllmSampler } from '../../src/engines/index.ts'
import { ChatService } from '../../src/services/index.ts'

/** Requests under way at once. */
const IN_FLIGHT = 1000

/** What one run took. */
interface Run {
  seconds: number
  /** Of this process alone, both of user and of system, in microseconds. */
  cpu: number
  /** How late the event loop came, 99 of 100 times at most, in milliseconds. */
  lateness: number
  /** Most memory of the process so far, in MB. */
  memory: number
}

interface Client {
  /** So many samples, as many at once as may be. */
  ask(samples: number, tokens: number): Promise<unknown>
  close(): Promise<void>
}

const prompt = (at: number): number[] => Array.from({ length: 32 }, (_, i) => 5 + ((at * 13 + i) % 900))

async function openClient(name: string, url: string, folder: string): Promise<Client> {
  const sampling = (tokens: number) => ({ n: 1, maxTokens: tokens, temperature: 1, stop: [], seed: 1 })
  const prompts = (count: number) => Array.from({ length: count }, (_, at) => prompt(at))
  if (name === 'tinker' || name === 'protobuf') {
    const settings = {
      url,
      server: 'tinker',
      model: 'tiny',
      folder,
      lora: { rank: 8 },
      codec: name === 'protobuf' ? 'protobuf' : 'json',
      maxConcurrent: IN_FLIGHT,
    } as const
    const engine = await openTinkerEngine(settings)
    const sampler = engine.trainer().sampler()
    return { ask: (count, tokens) => sampler.sample(prompts(count), sampling(tokens)), close: () => engine.close() }
  }
  const settings = { url: `${url}/v1`, model: 'tiny', maxConcurrent: IN_FLIGHT }
  if (name === 'vllm') {
    const sampler = await VllmSampler.connect(settings, { vocabularySize: 1000 })
    return { ask: (count, tokens) => sampler.sample(prompts(count), sampling(tokens)), close: () => sampler.close() }
  }
  const service = new ChatService(settings, name === 'chat-cached' ? { cacheFolder: `${folder}/answers` } : {})
  let asked = 0
  return {
    ask: (count, maxTokens) =>
      Promise.all(
        Array.from({ length: count }, () =>
          service.complete([{ role: 'user', content: `Task ${asked++}: what do you see?` }], { maxTokens, seed: 1 }),
        ),
      ),
    close: () => service.close(),
  }
}

const [name, url, tokens, samples, runs, folder] = process.argv.slice(2)
const client = await openClient(name, url, folder)
const measured: Run[] = []
for (let run = 0; run <= Number(runs); run++) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const [began, before] = [performance.now(), process.cpuUsage()]
  await client.ask(Number(samples), Number(tokens))
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - began) / 1000
  delay.disable()
  const memory = process.resourceUsage().maxRSS / 1024
  if (run > 0) measured.push({ seconds, cpu: user + system, lateness: delay.percentile(99) / 1e6, memory })
}
await client.close()
console.log(JSON.stringify(measured))
process.exit()
