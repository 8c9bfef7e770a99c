import { attributeOf } from '../../python/access.ts'
import { isTruthy } from '../../python/value.ts'
import { phoneOf, surroundingsOf, type TelecomState } from '../state.ts'
import type { NetworkTechnology, Phone, Surroundings } from '../usermodels.ts'

export function simStatus(phone: Phone): Phone['sim_card_status'] {
  return phone.sim_card_missing ? 'missing' : phone.sim_card_status
}

function loseNetwork(phone: Phone): void {
  phone.network_connection_status = 'no_service'
  phone.network_technology_connected = 'none'
  phone.network_signal_strength = 'none'
}

/** The technology that a phone with this preference connects to. */
function technologyFor(
  preference: Phone['network_mode_preference'],
  { signal_strength }: Surroundings,
): NetworkTechnology {
  if (preference === '2g_only') return '2G'
  if (preference === '3g_only') return '3G'
  const hasFiveG = (signal_strength.get('5G') ?? 'none') !== 'none'
  return preference === '4g_5g_preferred' && hasFiveG ? '5G' : '4G'
}

/** The phone looks for a network again: what it finds depends on its SIM, settings, line and place. */
export function searchNetwork(state: TelecomState): void {
  const phone = phoneOf(state)
  const surroundings = surroundingsOf(state)
  if (simStatus(phone) === 'active') {
    const technology = technologyFor(phone.network_mode_preference, surroundings)
    phone.network_connection_status = 'connected'
    phone.network_technology_connected = technology
    phone.network_signal_strength = surroundings.signal_strength.get(technology) ?? 'none'
  } else {
    loseNetwork(phone)
  }
  if (phone.airplane_mode) loseNetwork(phone)
  if (attributeOf(phone.active_apn_settings, 'apn_name') === 'broken') loseNetwork(phone)
  if (!surroundings.line_active) loseNetwork(phone)
}

/** Whether data gets through: not in airplane mode, abroad without roaming, or beyond the allowance. */
export function isMobileDataWorking(state: TelecomState): boolean {
  const phone = phoneOf(state)
  const surroundings = surroundingsOf(state)
  if (phone.airplane_mode || phone.network_signal_strength === 'none') return false
  if (phone.network_connection_status === 'no_service') return false
  const needsRoaming = isTruthy(surroundings.is_abroad)
  if (needsRoaming && !(phone.roaming_enabled && surroundings.roaming_allowed)) return false
  return phone.data_enabled && !surroundings.mobile_data_usage_exceeded
}
