import type { Engine } from '../../choice.ts'
import { openTinkerEngine } from '../engine.ts'
import { PACE, type TinkerSettings } from '../settings.ts'
import type { FakeTinker } from './fake-server.ts'

/** Nobody waits for long in a test. */
export const HURRY = {
  ...PACE,
  backoff: 0.01,
  longestBackoff: 0.2,
  longestPollBackoff: 0.05,
  pending: 0.005,
  crowded: 0.05,
  crowdedLong: 0.1,
  unpaid: 0.02,
}

/** An engine on a fake server; in JSON, unless the settings say otherwise. */
export function openFake(
  fake: FakeTinker,
  base: string,
  settings: Partial<TinkerSettings> = {},
  pace = HURRY,
): Promise<Engine> {
  return openTinkerEngine(
    {
      url: fake.url,
      server: fake.reduction === 'sum' ? 'tinker' : 'skyrl-jax',
      model: 'tiny',
      folder: base,
      lora: { rank: 16 },
      codec: 'json',
      requestSeconds: 20,
      resultSeconds: 60,
      ...settings,
    },
    pace,
  )
}
