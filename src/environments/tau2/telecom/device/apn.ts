import { any, dict, union } from '../../model.ts'
import { attributeOf, noAttribute } from '../../python/access.ts'
import { isDict, isModel, isTruthy, type PyValue } from '../../python/value.ts'
import { method } from '../../tool.ts'
import { userTool } from '../described.ts'
import { phoneOf, type TelecomState } from '../state.ts'
import { type ApnSettings, apnModel } from '../usermodels.ts'
import { searchNetwork } from './connection.ts'
import { withStatusBar } from './statusbar.ts'

/**
 * The active settings, to use `member` of them. Upstream puts in their place whatever it was given that is no dictionary,
 * and fails on it from then on.
 * @throws PyError AttributeError
 */
function activeSettings(state: TelecomState, member: string): ApnSettings {
  const settings: PyValue = phoneOf(state).active_apn_settings
  if (!isModel(settings)) throw noAttribute(settings, member)
  return phoneOf(state).active_apn_settings
}

/** At a reboot: back to the defaults if that was asked for. */
export function resetAtReboot(state: TelecomState): boolean {
  if (!activeSettings(state, 'reset_at_reboot').reset_at_reboot) return false
  phoneOf(state).active_apn_settings = apnModel.of({})
  return true
}

function setApn(state: TelecomState, given: PyValue): PyValue {
  const settings: PyValue = isDict(given) ? apnModel.construct(given) : given
  phoneOf(state).active_apn_settings = settings as ApnSettings
  const name = attributeOf(settings, 'apn_name') as ApnSettings['apn_name']
  searchNetwork(state)
  return withStatusBar(state, `APN settings set to: ${name}`)
}

export const apnTools = [
  userTool('check_apn_settings', 'read', (state) => {
    const { apn_name, mmsc_url } = activeSettings(state, 'model_copy')
    return [
      `Current APN Name: ${apn_name}`,
      `MMSC URL (for picture messages): ${isTruthy(mmsc_url) ? mmsc_url : 'Not Set'}`,
      '(These are technical settings, usually best left unchanged.)',
    ].join('\n')
  }),
  userTool('set_apn_settings', 'write', setApn, { apn_settings: union(apnModel, dict(any)) }),
  userTool('reset_apn_settings', 'write', (state) => {
    activeSettings(state, 'reset_at_reboot').reset_at_reboot = true
    searchNetwork(state)
    return withStatusBar(state, 'APN settings will reset at reboot.')
  }),
]

export const apnMethods = [
  method<TelecomState>('break_apn_settings', [], (state) => {
    activeSettings(state, 'apn_name').apn_name = 'broken'
    searchNetwork(state)
    return 'APN settings broken. Please call reset_apn_settings() to fix.'
  }),
  method<TelecomState>('break_apn_mms_setting', [], (state) => {
    activeSettings(state, 'mmsc_url').mmsc_url = null
    return 'APN MMS setting broken. Please call reset_apn_settings() to fix.'
  }),
]
