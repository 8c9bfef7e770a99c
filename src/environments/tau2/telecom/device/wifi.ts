import { any, field } from '../../model.ts'
import { equals, isTruthy } from '../../python/value.ts'
import type { Method } from '../../tool.ts'
import { userTool } from '../described.ts'
import { phoneOf, type TelecomState } from '../state.ts'
import type { Phone } from '../usermodels.ts'
import { withStatusBar } from './statusbar.ts'
import { onOff } from './switches.ts'

export function loseWifi(phone: Phone): void {
  phone.wifi_connected = false
  phone.wifi_ssid = null
  phone.wifi_signal_strength = 'none'
}

export const wifiTools = [
  userTool('check_wifi_status', 'read', (state) => {
    const { wifi_enabled, wifi_connected, wifi_ssid, wifi_signal_strength } = phoneOf(state)
    if (!wifi_enabled) return 'Wi-Fi is turned OFF.'
    if (!wifi_connected) return 'Wi-Fi is ON but not connected to any network.'
    return `Wi-Fi is ON and connected to '${wifi_ssid ?? 'None'}'. Signal strength: ${wifi_signal_strength}.`
  }),
  userTool('toggle_wifi', 'write', (state) => {
    const phone = phoneOf(state)
    if (phone.airplane_mode) return withStatusBar(state, 'Cannot change Wi-Fi settings while Airplane Mode is ON.')
    phone.wifi_enabled = !phone.wifi_enabled
    if (!phone.wifi_enabled) loseWifi(phone)
    return withStatusBar(state, `Wi-Fi is now ${onOff(phone.wifi_enabled)}.`)
  }),
  userTool(
    'check_wifi_calling_status',
    'read',
    (state) => `Wi-Fi Calling is currently turned ${onOff(phoneOf(state).wifi_calling_enabled)}.`,
  ),
  userTool('toggle_wifi_calling', 'write', (state) => {
    const phone = phoneOf(state)
    phone.wifi_calling_enabled = !phone.wifi_calling_enabled
    return withStatusBar(state, `Wi-Fi Calling is now ${onOff(phone.wifi_calling_enabled)}.`)
  }),
]

const setWifiCalling: Method<TelecomState> = {
  name: 'set_wifi_calling',
  parameters: { enabled: field(any), mms_over_wifi: field(any, undefined, null) },
  call(state, enabled, mmsOverWifi) {
    const phone = phoneOf(state)
    if (!equals(phone.wifi_calling_enabled, enabled)) phone.wifi_calling_enabled = !phone.wifi_calling_enabled
    const message = `Wi-Fi Calling is now ${onOff(isTruthy(enabled))}.`
    if (mmsOverWifi === null) return message
    phone.wifi_calling_mms_over_wifi = mmsOverWifi as boolean
    return `${message}\nMMS over Wi-Fi is now ${onOff(isTruthy(mmsOverWifi))}.`
  },
}

export const wifiMethods = [setWifiCalling]
