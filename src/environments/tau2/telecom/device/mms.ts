import { attributeOf } from '../../python/access.ts'
import { isTruthy } from '../../python/value.ts'
import { userTool } from '../described.ts'
import { phoneOf, type TelecomState } from '../state.ts'
import { isMobileDataWorking } from './connection.ts'

/** Whether a picture message gets out: it takes mobile data, the address of the centre, and the app's permissions. */
export function canSendMms(state: TelecomState): boolean {
  if (!isMobileDataWorking(state)) return false
  const phone = phoneOf(state)
  if (phone.network_technology_connected === '2G') return false
  // The carrier takes no picture messages over Wi-Fi.
  if (phone.wifi_calling_enabled && isTruthy(phone.wifi_calling_mms_over_wifi)) return false
  if (attributeOf(phone.active_apn_settings, 'mmsc_url') === null) return false
  const app = phone.app_statuses.get('messaging')
  return app?.permissions.storage === true && app.permissions.sms
}

export const mmsTools = [
  userTool('can_send_mms', 'read', (state) =>
    canSendMms(state) ? 'Your messaging app can send MMS messages.' : 'Your messaging app cannot send MMS messages.',
  ),
]
