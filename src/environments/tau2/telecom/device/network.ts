import { str, union } from '../../model.ts'
import { noAttribute } from '../../python/access.ts'
import { str as text } from '../../python/number.ts'
import type { PyValue } from '../../python/value.ts'
import { method } from '../../tool.ts'
import { userTool } from '../described.ts'
import { phoneOf, type TelecomState } from '../state.ts'
import { NETWORK_MODES, networkMode, type Phone } from '../usermodels.ts'
import { resetAtReboot } from './apn.ts'
import { searchNetwork, simStatus } from './connection.ts'
import { withStatusBar } from './statusbar.ts'
import { onOff, yesNo } from './switches.ts'

/** The member's value: what is set as preference and is no text is no member either. */
function modeValue(mode: PyValue): string {
  if (typeof mode === 'string') return mode
  throw noAttribute(mode, 'value')
}

function setNetworkMode(state: TelecomState, mode: PyValue): string {
  const phone = phoneOf(state)
  const isRefused = typeof mode === 'string' && !(NETWORK_MODES as readonly string[]).includes(mode)
  if (!isRefused) {
    // Upstream checks only texts: anything else is set as it is, None too, although it then reports a failure.
    phone.network_mode_preference = mode as Phone['network_mode_preference']
    searchNetwork(state)
  }
  if (isRefused || mode === null) {
    const problem = `Failed to set network mode: '${text(mode)}' is not a valid option.`
    return withStatusBar(state, `${problem} Please use one of: ${NETWORK_MODES.join(', ')}`)
  }
  return withStatusBar(state, `Preferred Network Mode set to: ${modeValue(mode)}`)
}

export const networkTools = [
  userTool('check_network_status', 'read', (state) => {
    const phone = phoneOf(state)
    const lines = [
      `Airplane Mode: ${onOff(phone.airplane_mode)}`,
      `SIM Card Status: ${simStatus(phone)}`,
      `Cellular Connection: ${phone.network_connection_status}`,
      `Cellular Signal: ${phone.network_signal_strength}`,
      `Cellular Network Type: ${phone.network_technology_connected}`,
      `Mobile Data Enabled: ${yesNo(phone.data_enabled)}`,
      `Data Roaming Enabled: ${yesNo(phone.roaming_enabled)}`,
      `Wi-Fi Radio: ${onOff(phone.wifi_enabled)}`,
      `Wi-Fi Connected: ${yesNo(phone.wifi_connected)}`,
    ]
    if (phone.wifi_connected) lines.push(`Connected Wi-Fi Network: ${text(phone.wifi_ssid)}`)
    return lines.join('\n')
  }),
  userTool(
    'check_network_mode_preference',
    'read',
    (state) => `Network Mode Preference: ${modeValue(phoneOf(state).network_mode_preference)}`,
  ),
  userTool('set_network_mode_preference', 'write', setNetworkMode, { mode: union(networkMode, str) }),
  userTool('reboot_device', 'write', (state) => {
    const done = resetAtReboot(state) ? ['Resetting APN settings...'] : []
    phoneOf(state).network_connection_status = 'searching'
    searchNetwork(state)
    return withStatusBar(state, [...done, 'Restarting network services...'].join('\n'))
  }),
]

export const networkMethods = [
  method<TelecomState>('simulate_network_search', [], (state) => {
    searchNetwork(state)
    return null
  }),
]
