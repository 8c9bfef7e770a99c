import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { EngineNeeds } from '../choice.ts'
import { LORA_CHOICES } from '../local/index.ts'
import { tinkerEngine } from './choice.ts'
import { writeBase } from './testing/base.ts'
import { type FakeOptions, FakeTinker } from './testing/fake-server.ts'
import { HURRY } from './testing/open.ts'

const parent = mkdtempSync(join(tmpdir(), 'inspect-'))
let base: string
beforeAll(async () => {
  base = await writeBase(parent)
})
afterAll(() => rmSync(parent, { recursive: true }))

let fake: FakeTinker | null = null
afterEach(async () => {
  await fake?.close()
  fake = null
})

const needs = (): EngineNeeds => ({
  folder: base,
  lora: { rank: 8, alpha: 32, targets: LORA_CHOICES['all-linear'] },
  clipNorm: 0,
  entropy: [0],
  temperatures: [1],
})

async function look(
  options: Partial<FakeOptions>,
  more: Partial<EngineNeeds> = {},
  server: 'tinker' | 'skyrl-jax' = 'tinker',
) {
  fake = await FakeTinker.start({ base, reduction: 'sum', ...options })
  const facts = await tinkerEngine({ url: fake.url, server, model: 'tiny' }, HURRY).inspect({ ...needs(), ...more })
  return new Map(facts.map(({ what, ok, note }) => [what, { ok, note }]))
}

describe('a look at a Tinker server', () => {
  it('finds that all is well, and trains nothing', async () => {
    const facts = await look({ models: [{ model_name: 'other' }, { model_name: 'tiny', max_context_length: 4096 }] })
    expect([...facts.values()].map(({ ok }) => ok)).not.toContain(false)
    expect(facts.get('session')?.note).toBe('at most 64 prompts at once, 1024 data a request')
    expect(fake?.count('create_model')).toBe(0)
  })

  it('says which model there is, where the name is another', async () => {
    expect((await look({ models: [{ model_name: 'tiny-2' }] })).get('model')).toEqual({
      ok: false,
      note: 'no model is called tiny there; did you mean tiny-2?',
    })
  })

  it('says that the context is shorter there', async () => {
    const { ok, note } = (await look({ models: [{ model_name: 'tiny', max_context_length: 16 }] })).get('model')!
    expect(ok).toBe(false)
    expect(note).toMatch(/context of 16 tokens there and of \d+ in .*base/)
  })

  it('says that nobody answers, and waits for no more', async () => {
    const facts = await tinkerEngine({ url: 'http://127.0.0.1:9', server: 'tinker', model: 'tiny' }, HURRY).inspect(
      needs(),
    )
    expect(facts.map(({ what, ok }) => [what, ok])).toEqual([
      ['key', null],
      ['reachable', false],
      ['the experiment', true],
    ])
  })

  it('says that a key is refused', async () => {
    const refused = [...(await look({ key: 'right' })).values()].filter(({ ok }) => ok === false)
    expect(refused.map(({ note }) => note).join()).toMatch(/TINKER_API_KEY/)
  })

  it('says all that the experiment asks for in vain', async () => {
    const { ok, note } = (await look({}, { clipNorm: 1, entropy: [0.1], lora: undefined }, 'skyrl-jax')).get(
      'the experiment',
    )!
    expect(ok).toBe(false)
    expect(note).toMatch(/model.lora.rank.*optimiser.clipNorm.*entropy/)
  })
})
