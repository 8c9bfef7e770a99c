import { describe, expect, it } from 'vitest'
import { agent, changes, open, run, user } from '../testing/world.ts'

const L1 = '"customer_id": "C1", "line_id": "L1"'

describe('the phone', () => {
  it('shows its world', () => {
    const world = open()
    expect(user(world, 'check_status_bar')).toBe('Status Bar: 📶³ Good | 5G | 📱 Data Enabled | 🔋 64%')
    expect(user(world, 'toggle_data_saver_mode')).toBe(
      'Data Saver Mode is now ON.\nStatus Bar: 📶³ Good | 5G | 📱 Data Enabled | 🔽 Data Saver | 🔋 64%',
    )
    expect(user(world, 'connect_vpn')).toMatch(/🔒 VPN Connected/)
    expect(user(world, 'toggle_airplane_mode')).toBe('Airplane Mode is now ON.\nStatus Bar: ✈️ Airplane Mode | 🔋 64%')
    expect(user(world, 'toggle_wifi')).toMatch(/^Cannot change Wi-Fi settings while Airplane Mode is ON/)
    expect(user(world, 'check_network_status')).toBe(
      [
        'Airplane Mode: ON',
        'SIM Card Status: active',
        'Cellular Connection: no_service',
        'Cellular Signal: none',
        'Cellular Network Type: none',
        'Mobile Data Enabled: Yes',
        'Data Roaming Enabled: No',
        'Wi-Fi Radio: OFF',
        'Wi-Fi Connected: No',
      ].join('\n'),
    )
  })

  it('measures the speed that its settings allow', () => {
    const world = open()
    const speed = () =>
      user(world, 'run_speed_test').replace('Speed Test Result: ', '').split('.').slice(0, 2).join('.')
    expect(speed()).toBe('220.00 Mbps (Excellent)')
    expect(user(world, 'toggle_data_saver_mode') && speed()).toBe('44.00 Mbps (Good)')
    expect(run(world, 'user', 'break_vpn') && speed()).toBe('4.40 Mbps (Poor)')
    expect(user(world, 'set_network_mode_preference', '{"mode": "2g_only"}') && speed()).toBe('0.00 Mbps (Very Poor)')
    expect(run(world, 'user', 'assert_internet_speed', '{"expected_speed": 0}')).toBe(true)
    expect(run(world, 'user', 'assert_internet_speed', '{"expected_speed": 0, "expected_desc": "VERY POOR"}')).toBe(
      true,
    )
    run(world, 'assistant', 'set_data_usage', `{${L1}, "data_used_gb": 4}`)
    expect(user(world, 'run_speed_test')).toBe('Speed test failed: No Connection.')
    expect(changes(world)[0]).toBe('replace /lines/0/data_used_gb 4')
  })

  it('needs both roaming settings abroad', () => {
    const world = open()
    const works = () => run(world, 'user', 'assert_mobile_data_status', '{"expected_status": true}')
    run(world, 'user', 'set_user_location', '{"abroad": true}')
    expect(works()).toBe(false)
    user(world, 'toggle_roaming')
    expect(works()).toBe(false)
    agent(world, 'enable_roaming', `{${L1}}`)
    expect(works()).toBe(true)
  })

  it('resets its APN at a reboot, not before', () => {
    const world = open('break_apn_settings', 'break_apn_mms_setting')
    expect(user(world, 'check_apn_settings')).toMatch(
      /^Current APN Name: broken\nMMSC URL \(for picture messages\): Not Set/,
    )
    expect(user(world, 'reset_apn_settings')).toMatch(/^APN settings will reset at reboot.\nStatus Bar: 📵 No Signal/)
    expect(user(world, 'reboot_device')).toMatch(/^Resetting APN settings...\nRestarting network services...\n.*5G/)
    expect(user(world, 'can_send_mms')).toBe('Your messaging app can send MMS messages.')
    expect(user(world, 'reboot_device')).toMatch(/^Restarting/)
  })

  it('takes permissions, and says which there are', () => {
    const world = open()
    run(world, 'user', 'remove_app_permission', '{"app_name": "messaging", "permission": "SMS"}')
    expect(user(world, 'can_send_mms')).toMatch(/cannot/)
    expect(user(world, 'check_app_permissions', '{"app_name": "messaging"}')).toMatch(/has permission for: storage\.$/)
    expect(user(world, 'grant_app_permission', '{"app_name": "messaging", "permission": "Camera"}')).toContain(
      "Error. Permission 'camera' not tracked for app 'messaging', available permissions: ['sms', 'storage', 'phone', 'network']",
    )
    expect(user(world, 'grant_app_permission', '{"app_name": "messaging", "permission": "sms"}')).toMatch(/^Success/)
    expect(user(world, 'check_app_status', '{"app_name": "messaging"}')).toBe(
      'Status for App: messaging\n - Permissions Granted:\n   - sms\n   - storage',
    )
    expect(user(world, 'check_app_status', '{"app_name": ["messaging"]}')).toBe("Error: unhashable type: 'list'")
    expect(user(world, 'can_send_mms')).toMatch(/can send/)
  })

  it('locks and loses its SIM', () => {
    const world = open('unseat_sim_card')
    expect(user(world, 'check_sim_status')).toBe('No SIM card detected in the phone.')
    run(world, 'user', 'lock_sim_card', '{"mode": "pin"}')
    expect(user(world, 'reseat_sim_card')).toMatch(/^SIM card re-seated successfully.\nStatus Bar: 📵 No Signal/)
    expect(user(world, 'check_sim_status')).toBe('The SIM card is locked with a PIN code.')
  })

  it('keeps a broken VPN broken, in its own episode only', () => {
    const world = open('break_vpn')
    user(world, 'disconnect_vpn')
    user(world, 'connect_vpn')
    expect(user(world, 'check_vpn_status')).toMatch(/'server_performance': <PerformanceLevel.POOR: 'poor'>}$/)
    const other = open()
    user(other, 'connect_vpn')
    expect(user(other, 'check_vpn_status')).toMatch(/<PerformanceLevel.EXCELLENT: 'excellent'>}$/)
  })

  it('switches back on through toggles, with all they do', () => {
    const world = open('turn_airplane_mode_on', 'turn_airplane_mode_on', 'turn_airplane_mode_off', 'turn_data_off')
    expect(user(world, 'check_status_bar')).toBe('Status Bar: 📶⁴ Excellent | 5G | 📵 Data Disabled | 🔋 64%')
    expect(run(world, 'user', 'set_wifi_calling', '{"enabled": true, "mms_over_wifi": true}')).toBe(
      'Wi-Fi Calling is now ON.\nMMS over Wi-Fi is now ON.',
    )
  })

  it('accepts as network mode what is no text, and then stumbles over it', () => {
    const world = open()
    const mode = (json: string) => user(world, 'set_network_mode_preference', `{"mode": ${json}}`)
    expect(mode('"5g"')).toMatch(
      /^Failed to set network mode: '5g' is not a valid option. Please use one of: 4g_5g_pref/,
    )
    expect(user(world, 'check_network_mode_preference')).toBe('Network Mode Preference: 4g_5g_preferred')
    expect(mode('null')).toMatch(/^Failed to set network mode: 'None' .*\nStatus Bar: 📶³ Good \| 4G/)
    expect(mode('5')).toBe("Error: 'int' object has no attribute 'value'")
    expect(user(world, 'check_network_mode_preference')).toBe("Error: 'int' object has no attribute 'value'")
    expect(changes(world)).toContain('replace /device/network_mode_preference 5')
  })

  it('takes any APN that is no dictionary, and then stumbles over it', () => {
    const world = open()
    const error = (member: string) => `Error: 'str' object has no attribute '${member}'`
    expect(user(world, 'set_apn_settings', '{"apn_settings": {"apn_name": "x", "y": 1, "mms_port": "z"}}')).toBe(
      "Error: 3 validation errors for APNSettings\napn_name\n  Input should be 'internet' or 'broken' [type=enum, input_value='x', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.13/v/enum\nmms_port\n  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='z', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.13/v/int_parsing\ny\n  Extra inputs are not permitted [type=extra_forbidden, input_value=1, input_type=int]\n    For further information visit https://errors.pydantic.dev/2.13/v/extra_forbidden",
    )
    expect(user(world, 'set_apn_settings', '{"apn_settings": "internet"}')).toBe(error('apn_name'))
    expect(user(world, 'toggle_airplane_mode')).toBe(error('apn_name'))
    expect(user(world, 'check_apn_settings')).toBe(error('model_copy'))
    expect(user(world, 'reset_apn_settings')).toBe(error('reset_at_reboot'))
    expect(user(world, 'reboot_device')).toBe(error('reset_at_reboot'))
    expect(user(world, 'can_send_mms')).toMatch(/cannot/)
    expect(changes(world)).toContain('replace /device/active_apn_settings "internet"')
    expect(changes(world)).toContain('replace /device/airplane_mode true')
  })
})
