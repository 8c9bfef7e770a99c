import { describe, it } from 'vitest'
import { engineContract } from '../testing/contract.ts'
import { openTinkerEngine } from './engine.ts'
import { unclipped } from './testing/unclipped.ts'

const { RWML_SKYRL_URL: url, RWML_SKYRL_MODEL: model } = process.env

/** Against a real server: see test/servers/skyrl.sh. */
if (url && model) {
  engineContract(
    'Tinker engine, SkyRL',
    async () => {
      const settings = { url, server: 'skyrl-jax', model, folder: model, lora: { rank: 16 } } as const
      return unclipped((await openTinkerEngine(settings)).trainer())
    },
    { tempered: false },
  )
} else {
  describe.skip('Tinker engine, SkyRL', () => {
    it('meets the contract', () => {})
  })
}
