import { method } from '../../tool.ts'
import { userTool } from '../described.ts'
import { phoneOf, type TelecomState } from '../state.ts'
import { searchNetwork } from './connection.ts'
import { withStatusBar } from './statusbar.ts'
import { onOff, toggleUntil } from './switches.ts'
import { disconnectVpn } from './vpn.ts'
import { loseWifi } from './wifi.ts'

function toggleAirplaneMode(state: TelecomState): boolean {
  const phone = phoneOf(state)
  phone.airplane_mode = !phone.airplane_mode
  if (phone.airplane_mode) {
    loseWifi(phone)
    disconnectVpn(state)
  } else {
    phone.network_connection_status = 'searching'
    if (phone.wifi_enabled) loseWifi(phone)
  }
  searchNetwork(state)
  return phone.airplane_mode
}

export const airplaneTools = [
  userTool('toggle_airplane_mode', 'write', (state) =>
    withStatusBar(state, `Airplane Mode is now ${onOff(toggleAirplaneMode(state))}.`),
  ),
]

export const airplaneMethods = [true, false].map((isOn) =>
  method<TelecomState>(`turn_airplane_mode_${isOn ? 'on' : 'off'}`, [], (state) => {
    toggleUntil(isOn, () => toggleAirplaneMode(state))
    return `Airplane Mode is now ${onOff(isOn)}.`
  }),
)
