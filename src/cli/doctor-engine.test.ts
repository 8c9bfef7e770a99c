import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeTinker } from '../engines/tinker/testing/fake-server.ts'
import { engineReport, engineText } from './doctor-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-doctor-engine-'))
let fake: FakeTinker
beforeAll(async () => {
  fake = await FakeTinker.start({ base: 'models/mini', reduction: 'sum', models: [{ model_name: 'mini' }] })
})
afterAll(async () => {
  await fake.close()
  rmSync(folder, { recursive: true })
})

function experiment(name: string, engine: string): string {
  const path = join(folder, `${name}.ts`)
  writeFileSync(
    path,
    `import { defineConfig, EmbeddingService, rewardBy, tinkerEngine } from 'rwml'\nexport default defineConfig({ preset: 'mini', ${engine} })\n`,
  )
  return path
}

it('looks at the engine of an experiment, as the settings make it', async () => {
  const file = experiment('run', `engine: tinkerEngine({ url: '${fake.url}', server: 'tinker', model: 'mini' })`)
  const plain = await engineReport(file, {})
  expect(plain).toMatchObject({ ok: false, engine: `mini at ${fake.url}` })
  expect(engineText(plain)).toMatch(/the experiment +no +a Tinker server trains adapters only: set model.lora.rank/)
  const mended = await engineReport(file, { 'model.lora.rank': 8 })
  expect(mended.ok).toBe(true)
  expect(engineText(mended)).toMatch(/model +yes +mini, 1024 tokens of context/)
})

it('looks at the server where the model folder is not here yet, and says what has to be in it', async () => {
  const file = experiment('bare', `engine: tinkerEngine({ url: '${fake.url}', server: 'tinker', model: 'mini' })`)
  const report = await engineReport(file, { 'model.lora.rank': 8, 'model.path': join(folder, 'nowhere') })
  expect(report.ok).toBe(false)
  expect(engineText(report)).toMatch(
    /model folder +no +no model at .*nowhere: config.json, tokenizer.json .* without weights/,
  )
  expect(report.facts).toContainEqual({ what: 'reachable', ok: true, note: fake.url })
})

it('looks at what the reward will need, too', async () => {
  const file = experiment(
    'embedder',
    `engine: tinkerEngine({ url: '${fake.url}', server: 'tinker', model: 'mini' }), settings: { model: { lora: { rank: 8 } } },
    method: { name: 'own', stages: [rewardBy({ embedder: new EmbeddingService({ url: 'http://127.0.0.1:9/v1', model: 'm', retries: 0 }) })] }`,
  )
  const report = await engineReport(file, {})
  expect(report.ok).toBe(false)
  expect(engineText(report)).toMatch(/reward +no +m at http:\/\/127.0.0.1:9\/v1 cannot be reached/)
})

it('says that there is none', async () => {
  await expect(engineReport(experiment('own', ''), {})).rejects.toThrow('names no engine')
})

it.each([
  ["engine: tinkerEngine({ server: 'tinker', model: 'mini' })", 'give url, or set TINKER_BASE_URL'],
  ["engine: tinkerEngine({ url: 'http://k:s@h', server: 'tinker', model: 'mini' })", 'must hold no name, password'],
  ["engine: 'skyrl'", 'see docs/tinker.md'],
])('refuses %s in one line', async (engine, words) => {
  const error = await engineReport(experiment('bad', engine), {}).catch((failure: unknown) => failure)
  expect(String(error)).toContain(words)
  expect(String(error).split('\n')).toHaveLength(1)
})
