/** Waits until a Tinker server really answers: URL, the model's name there and its folder here. Makes a model, and gives it back. */
import { openTinkerEngine } from '../../src/engines/index.ts'

const [url, model] = process.argv.slice(2)
const waits = { requestSeconds: 120, resultSeconds: 300, unreachableSeconds: 60 }
const engine = await openTinkerEngine({ url, server: 'skyrl-jax', model, folder: model, lora: { rank: 16 }, ...waits })
await engine.close()
