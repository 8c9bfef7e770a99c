import { userTool } from '../described.ts'
import { phoneOf, type TelecomState } from '../state.ts'
import type { Phone, SignalStrength } from '../usermodels.ts'

const SIGNALS: { readonly [S in SignalStrength]: string } = {
  none: '📵 No Signal',
  poor: '📶¹ Poor',
  fair: '📶² Fair',
  good: '📶³ Good',
  excellent: '📶⁴ Excellent',
}

function cellularIcons(phone: Phone): string[] {
  const icons = [SIGNALS[phone.network_signal_strength]]
  const isConnected = phone.network_technology_connected !== 'none'
  if (isConnected) icons.push(phone.network_technology_connected)
  if (!isConnected || !phone.data_enabled) return [...icons, '📵 Data Disabled']
  icons.push('📱 Data Enabled')
  if (phone.data_saver_mode) icons.push('🔽 Data Saver')
  return icons
}

/** The icons at the top of the screen. */
function statusBar(phone: Phone): string {
  const icons = phone.airplane_mode ? ['✈️ Airplane Mode'] : cellularIcons(phone)
  if (phone.wifi_enabled && phone.wifi_connected) {
    icons.push(phone.wifi_ssid ? `📡 Connected to ${phone.wifi_ssid}` : '📡 Enabled')
  }
  if (phone.vpn_connected) icons.push('🔒 VPN Connected')
  icons.push(`🔋 ${phone.battery_level}%`)
  return icons.join(' | ')
}

/** What a tool did, with the status bar below it. */
export function withStatusBar(state: TelecomState, what: string): string {
  return `${what}\nStatus Bar: ${statusBar(phoneOf(state))}`
}

export const statusBarTools = [
  userTool('check_status_bar', 'read', (state) => `Status Bar: ${statusBar(phoneOf(state))}`),
]
