import { PyError } from '../../python/errors.ts'
import { str as text } from '../../python/number.ts'
import { method } from '../../tool.ts'
import { userTool } from '../described.ts'
import { phoneOf, type TelecomState } from '../state.ts'
import type { Phone } from '../usermodels.ts'
import { searchNetwork, simStatus } from './connection.ts'
import { withStatusBar } from './statusbar.ts'

type SimStatus = Phone['sim_card_status']

const STATUS_TEXTS: { readonly [S in SimStatus]: string } = {
  active: 'Your SIM card is active and working.',
  missing: 'No SIM card detected in the phone.',
  locked_pin: 'The SIM card is locked with a PIN code.',
  locked_puk: 'The SIM card is locked with a PUK code.',
}

export const simTools = [
  userTool('check_sim_status', 'read', (state) => STATUS_TEXTS[simStatus(phoneOf(state))]),
  userTool('reseat_sim_card', 'write', (state) => {
    const phone = phoneOf(state)
    phone.sim_card_missing = false
    searchNetwork(state)
    // Upstream's assertion, whose error has no text.
    if (simStatus(phone) === 'missing') throw new PyError('AssertionError', '')
    return withStatusBar(state, 'SIM card re-seated successfully.')
  }),
]

export const simMethods = [
  method<TelecomState>('unseat_sim_card', [], (state) => {
    phoneOf(state).sim_card_missing = true
    searchNetwork(state)
    return 'SIM card un-seated successfully.'
  }),
  method<TelecomState>('lock_sim_card', ['mode'], (state, mode) => {
    const phone = phoneOf(state)
    if (mode === 'pin') phone.sim_card_status = 'locked_pin'
    else if (mode === 'puk') phone.sim_card_status = 'locked_puk'
    searchNetwork(state)
    return `SIM card locked successfully in ${text(mode)} mode.`
  }),
]
