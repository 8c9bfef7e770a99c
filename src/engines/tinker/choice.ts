/** A Tinker server as an experiment names it: `engine: tinkerEngine({ … })`. */
import { UserError } from '../../core/index.ts'
import type { EngineChoice, EngineNeeds, EnginePrices } from '../choice.ts'
import { openTinkerEngine } from './engine.ts'
import { inspectTinker } from './inspect.ts'
import { adapterOf, refusals } from './needs.ts'
import { PACE, type Pace, parseTinkerSettings, type TinkerSettings } from './settings.ts'

/** As `TinkerSettings`; folder and adapter are the experiment's own `model.path` and `model.lora`. */
export interface TinkerOptions extends Omit<TinkerSettings, 'folder' | 'lora'> {
  /** Of the new adapter's weights. */
  seed?: number
  /** Whether the last layer has an adapter, too. */
  unembedding?: boolean
  /** What it costs, for estimates. */
  prices?: EnginePrices
}

/**
 * Train and sample at a server that speaks the Tinker protocol (docs/tinker.md). @throws UserError for settings that cannot be
 */
export function tinkerEngine(
  { seed, unembedding, prices, ...settings }: TinkerOptions,
  pace: Pace = PACE,
): EngineChoice {
  const own = (lora: Pick<TinkerSettings['lora'], 'rank' | 'attention' | 'mlp'>) => ({ ...lora, seed, unembedding })
  const { url, server } = parseTinkerSettings({ ...settings, folder: '.', lora: own({ rank: 1 }) })
  const description = `${settings.model} at ${url}`
  const settingsFor = ({ folder, lora }: EngineNeeds): TinkerSettings => ({
    ...settings,
    folder,
    lora: own({ rank: lora?.rank ?? 1, ...(lora && adapterOf(lora)) }),
  })
  return {
    description,
    identity: { server, model: settings.model, seed: seed ?? 0, unembedding: unembedding ?? false },
    prices,
    async open(needs) {
      const [refusal] = refusals(server, needs)
      if (refusal !== undefined) throw new UserError(`${description}: ${refusal}`)
      return openTinkerEngine(settingsFor(needs), pace)
    },
    async inspect(needs) {
      const refused = refusals(server, needs)
      const asked = {
        what: 'the experiment',
        ok: refused.length === 0,
        note: refused.join('; ') || 'asks for nothing that it cannot do',
      }
      return [...(await inspectTinker(parseTinkerSettings(settingsFor(needs)), pace)), asked]
    },
  }
}
