/** What an experiment asks for, beside what a server can do. Said before anything is sent. */
import type { EngineNeeds } from '../choice.ts'
import { LORA_CHOICES, type Lora } from '../local/index.ts'
import { type ServerTraits, TINKER_SERVERS } from './settings.ts'

/** The adapters that the protocol knows, by the layers that they stand beside. */
const ADAPTERS = [
  { targets: LORA_CHOICES['all-linear'], attention: true, mlp: true },
  { targets: LORA_CHOICES.attention, attention: true, mlp: false },
  { targets: LORA_CHOICES.mlp, attention: false, mlp: true },
]

/** Which layers get an adapter; null where the protocol has no words for it. */
export function adapterOf({ targets }: Lora): { attention: boolean; mlp: boolean } | null {
  const found = ADAPTERS.find(
    (one) => one.targets.length === targets.length && one.targets.every((name) => targets.includes(name)),
  )
  return found ? { attention: found.attention, mlp: found.mlp } : null
}

/** Why a server cannot do what is asked, each with the setting that mends it. */
export function refusals(server: keyof typeof TINKER_SERVERS, needs: EngineNeeds): string[] {
  const { alpha, clips }: ServerTraits = TINKER_SERVERS[server]
  const { lora, clipNorm, entropy, temperatures } = needs
  const tempered = temperatures.find((temperature) => temperature !== 1)
  return [
    ...(lora ? [] : ['a Tinker server trains adapters only: set model.lora.rank (32, say)']),
    ...(lora && adapterOf(lora) === null
      ? [
          'it puts adapters beside all layers, those of attention, or those of the MLP: set model.lora.targets to all-linear, attention or mlp',
        ]
      : []),
    ...(lora && lora.alpha !== alpha
      ? [`its adapters count by ${alpha} / rank: set model.lora.alpha to ${alpha}`]
      : []),
    ...(clipNorm > 0 && !clips ? ['it does not clip gradients: set optimiser.clipNorm to 0'] : []),
    ...(entropy.some((coefficient) => coefficient > 0)
      ? ['it has no entropy bonus: set worldModel.entropy and policy.entropy to 0']
      : []),
    ...(tempered === undefined
      ? []
      : [
          `it tells log-probabilities at temperature 1 only, not ${tempered}: set worldModel.temperature and policy.temperature to 1`,
        ]),
  ]
}
