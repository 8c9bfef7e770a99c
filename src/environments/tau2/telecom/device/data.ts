import { method, type Tool } from '../../tool.ts'
import { type UserToolName, userTool } from '../described.ts'
import { phoneOf, type TelecomState } from '../state.ts'
import { searchNetwork } from './connection.ts'
import { withStatusBar } from './statusbar.ts'
import { onOff, type SwitchName, toggleUntil } from './switches.ts'

interface DataSwitch {
  tool: UserToolName
  setting: SwitchName
  label: string
  /** Toggling it makes the phone look for a network. */
  searches: boolean
}

const MOBILE_DATA: DataSwitch = { tool: 'toggle_data', setting: 'data_enabled', label: 'Mobile Data', searches: true }
const ROAMING: DataSwitch = {
  tool: 'toggle_roaming',
  setting: 'roaming_enabled',
  label: 'Data Roaming',
  searches: true,
}
const DATA_SAVER: DataSwitch = {
  tool: 'toggle_data_saver_mode',
  setting: 'data_saver_mode',
  label: 'Data Saver Mode',
  searches: false,
}

function toggle(state: TelecomState, { setting, searches }: DataSwitch): boolean {
  const phone = phoneOf(state)
  phone[setting] = !phone[setting]
  if (searches) searchNetwork(state)
  return phone[setting]
}

function toggleTool(of: DataSwitch): Tool<TelecomState> {
  return userTool(of.tool, 'write', (state) => withStatusBar(state, `${of.label} is now ${onOff(toggle(state, of))}.`))
}

/** The method that brings a setting to one state. */
function turn(name: string, of: DataSwitch, isOn: boolean, answer: string) {
  return method<TelecomState>(name, [], (state) => {
    toggleUntil(isOn, () => toggle(state, of))
    return answer
  })
}

export const dataTools = [
  toggleTool(MOBILE_DATA),
  toggleTool(ROAMING),
  toggleTool(DATA_SAVER),
  userTool('check_data_restriction_status', 'read', (state) =>
    phoneOf(state).data_saver_mode ? 'Data Saver mode is ON (limits data usage).' : 'Data Saver mode is OFF.',
  ),
]

export const dataMethods = [
  method<TelecomState>('turn_data_on', [], (state) => {
    phoneOf(state).data_enabled = true
    return 'Data connection restored.'
  }),
  turn('turn_data_off', MOBILE_DATA, false, 'Data connection broken.'),
  turn('turn_roaming_on', ROAMING, true, 'Data Roaming is now ON.'),
  turn('turn_roaming_off', ROAMING, false, 'Data Roaming is now OFF.'),
  turn('turn_data_saver_mode_on', DATA_SAVER, true, 'Data Saver Mode is now ON.'),
  turn('turn_data_saver_mode_off', DATA_SAVER, false, 'Data Saver Mode is now OFF.'),
]
