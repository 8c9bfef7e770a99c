import { bool, dict, enumeration, field, float, type InstanceOf, int, Model, optional, str } from '../model.ts'
import { isDict, type PyValue } from '../python/value.ts'

/**
 * The user's side: a phone and where it is. Descriptions are upstream's where they reach a model in a schema
 * (τ²-bench, Sierra Research, MIT licence, https://github.com/sierra-research/tau2-bench).
 */

const closed = { forbidExtra: true }

const signalStrength = enumeration('SignalStrength', ['none', 'poor', 'fair', 'good', 'excellent'])
const networkTechnology = enumeration('NetworkTechnology', ['none', '2G', '3G', '4G', '5G'])

const strengths = dict(signalStrength)

/** A signal for each technology, and for nothing else. */
const signalStrengths: typeof strengths = {
  ...strengths,
  read(input, at, problems) {
    if (isDict(input)) for (const key of input.keys()) networkTechnology.read(key, [...at, key, '[key]'], problems)
    return strengths.read(input, at, problems)
  },
}

export const NETWORK_STATUSES = ['connected', 'searching', 'no_service', 'emergency_only'] as const
export const NETWORK_MODES = ['4g_5g_preferred', '4g_only', '3g_only', '2g_only'] as const
export const networkMode = enumeration('NetworkModePreference', NETWORK_MODES)

export const apnModel = new Model(
  'APNSettings',
  {
    apn_name: field(
      enumeration('APNNames', ['internet', 'broken']),
      'The name identifier for the APN connection.',
      'internet',
    ),
    reset_at_reboot: field(bool, 'Whether the APN settings will be reset at the next reboot.', false),
    mms_apn: field(optional(str), 'Specific APN name used for MMS traffic, if different from general data.', 'mms'),
    mmsc_url: field(
      optional(str),
      'The URL of the Multimedia Messaging Service Center (MMSC). Crucial for MMS.',
      'http://mms.carrier.com/mms/wapenc',
    ),
    mms_proxy: field(optional(str), 'The proxy server address required for MMS traffic on some networks.', null),
    mms_port: field(optional(int), 'The proxy server port required for MMS traffic on some networks.', null),
  },
  { ...closed, description: 'Represents the configuration for a single Access Point Name (APN).' },
)

export const vpnModel = new Model(
  'VpnDetails',
  {
    server_address: field(optional(str), undefined, null),
    protocol: field(optional(str), undefined, null),
    server_performance: field(
      enumeration('PerformanceLevel', ['unknown', 'poor', 'fair', 'good', 'excellent']),
      undefined,
      'unknown',
    ),
  },
  closed,
)

const appPermissions = new Model(
  'AppPermissions',
  {
    sms: field(bool, undefined, false),
    storage: field(bool, undefined, false),
    phone: field(bool, undefined, false),
    network: field(bool, undefined, false),
  },
  closed,
)

const appStatus = new Model(
  'AppStatus',
  {
    app_name: field(str),
    permissions: field(appPermissions, undefined, appPermissions.of({})),
  },
  closed,
)

function app(name: string, ...granted: string[]): AppStatus {
  const permissions: PyValue = new Map(granted.map((permission) => [permission, true]))
  return appStatus.of({ app_name: name, permissions })
}

const phoneModel = new Model(
  'MockPhoneAttributes',
  {
    sim_card_status: field(
      enumeration('SimStatus', ['active', 'missing', 'locked_pin', 'locked_puk']),
      undefined,
      'active',
    ),
    sim_card_missing: field(bool, undefined, false),
    airplane_mode: field(bool, undefined, false),
    network_signal_strength: field(signalStrength, undefined, 'good'),
    network_technology_connected: field(networkTechnology, undefined, '5G'),
    network_connection_status: field(enumeration('NetworkStatus', NETWORK_STATUSES), undefined, 'connected'),
    battery_level: field(int, undefined, 80n),
    data_enabled: field(bool, undefined, true),
    roaming_enabled: field(bool, undefined, false),
    network_mode_preference: field(networkMode, undefined, '4g_5g_preferred'),
    active_apn_settings: field(apnModel, undefined, apnModel.of({})),
    wifi_enabled: field(bool, undefined, false),
    wifi_connected: field(bool, undefined, false),
    wifi_ssid: field(optional(str), undefined, null),
    wifi_signal_strength: field(signalStrength, undefined, 'none'),
    wifi_calling_enabled: field(bool, undefined, false),
    wifi_calling_mms_over_wifi: field(bool, undefined, false),
    data_saver_mode: field(bool, undefined, false),
    vpn_enabled_setting: field(bool, undefined, false),
    vpn_connected: field(bool, undefined, false),
    vpn_details: field(optional(vpnModel), undefined, null),
    app_statuses: field(
      dict(appStatus),
      undefined,
      new Map([
        ['messaging', app('messaging', 'sms', 'storage', 'phone')],
        ['browser', app('browser', 'network', 'storage')],
      ]),
    ),
  },
  closed,
)

export const paymentRequestModel = new Model(
  'PaymentRequest',
  {
    bill_id: field(str),
    amount_due: field(float),
    paid: field(bool, undefined, false),
  },
  closed,
)

const surroundingsModel = new Model(
  'UserSurroundings',
  {
    name: field(optional(str), undefined, null),
    phone_number: field(optional(str), undefined, null),
    is_abroad: field(bool, undefined, false),
    roaming_allowed: field(bool, undefined, false),
    signal_strength: field(
      signalStrengths,
      undefined,
      new Map<string, SignalStrength>([
        ['2G', 'poor'],
        ['3G', 'fair'],
        ['4G', 'good'],
        ['5G', 'excellent'],
      ]),
    ),
    mobile_data_usage_exceeded: field(bool, undefined, false),
    line_active: field(bool, undefined, true),
    payment_request: field(optional(paymentRequestModel), undefined, null),
  },
  closed,
)

export const telecomUserModel = new Model(
  'TelecomUserDB',
  {
    device: field(phoneModel, undefined, phoneModel.of({})),
    surroundings: field(surroundingsModel, undefined, surroundingsModel.of({})),
  },
  closed,
)

export type SignalStrength = NonNullable<ReturnType<typeof signalStrength.read>>
export type NetworkTechnology = NonNullable<ReturnType<typeof networkTechnology.read>>
export type ApnSettings = InstanceOf<typeof apnModel>
export type VpnDetails = InstanceOf<typeof vpnModel>
export type AppStatus = InstanceOf<typeof appStatus>
export type Phone = InstanceOf<typeof phoneModel>
export type Surroundings = InstanceOf<typeof surroundingsModel>
export type UserRecords = InstanceOf<typeof telecomUserModel>
