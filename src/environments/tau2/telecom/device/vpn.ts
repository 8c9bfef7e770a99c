import { noAttribute } from '../../python/access.ts'
import { repr } from '../../python/number.ts'
import { method } from '../../tool.ts'
import { userTool } from '../described.ts'
import { phoneOf, type TelecomState } from '../state.ts'
import type { VpnDetails } from '../usermodels.ts'
import { withStatusBar } from './statusbar.ts'

/** The details as Python shows the dictionary with its enum member. */
function shown({ server_address, protocol, server_performance: level }: VpnDetails): string {
  const performance = `<PerformanceLevel.${level.toUpperCase()}: '${level}'>`
  return `{'server_address': ${repr(server_address)}, 'protocol': ${repr(protocol)}, 'server_performance': ${performance}}`
}

/** @returns false when it was connected already */
function connectVpn(state: TelecomState): boolean {
  const phone = phoneOf(state)
  if (phone.vpn_connected) return false
  phone.vpn_connected = true
  // Not a copy: see `TelecomState.vpn`.
  phone.vpn_details = state.vpn
  return true
}

/** @returns false when there was no connection */
export function disconnectVpn(state: TelecomState): boolean {
  const phone = phoneOf(state)
  if (!phone.vpn_connected) return false
  phone.vpn_connected = false
  phone.vpn_details = null
  return true
}

export const vpnTools = [
  userTool('check_vpn_status', 'read', (state) => {
    const { vpn_connected, vpn_details, vpn_enabled_setting } = phoneOf(state)
    if (vpn_connected) {
      if (vpn_details === null) return 'VPN is ON and connected (no specific details available).'
      return `VPN is ON and connected. Details: ${shown(vpn_details)}`
    }
    return vpn_enabled_setting ? 'VPN is turned ON in settings, but currently not connected.' : 'VPN is turned OFF.'
  }),
  userTool('connect_vpn', 'write', (state) =>
    connectVpn(state) ? withStatusBar(state, 'VPN connected successfully.') : 'VPN already connected.',
  ),
  userTool('disconnect_vpn', 'write', (state) =>
    withStatusBar(
      state,
      disconnectVpn(state) ? 'VPN disconnected successfully.' : 'No active VPN connection to disconnect.',
    ),
  ),
]

export const vpnMethods = [
  method<TelecomState>('break_vpn', [], (state) => {
    connectVpn(state)
    const details = phoneOf(state).vpn_details
    if (details === null) throw noAttribute(null, 'server_performance')
    details.server_performance = 'poor'
    return 'VPN connection broken.'
  }),
]
