import type { ToolResult } from '../../../core/index.ts'

/** What an agent asked the user to do with one of its tools. */
export interface Wanted {
  tool: string
  args: Record<string, string>
  /** Only where this look shows that it is not so already. */
  unless?: { look: string; isSo: (seen: string) => boolean }
}

/** Switches of the phone: where one sees how it stands, and by what. */
const SWITCHES: { noun: RegExp; toggle: string; look: string; on: RegExp }[] = [
  { noun: /air ?plane mode/, toggle: 'toggle_airplane_mode', look: 'check_network_status', on: /Airplane Mode: ON/ },
  { noun: /data[ -]saver/, toggle: 'toggle_data_saver_mode', look: 'check_data_restriction_status', on: /is ON/ },
  { noun: /wi-?fi[ -]calling/, toggle: 'toggle_wifi_calling', look: 'check_wifi_calling_status', on: /turned ON/ },
  { noun: /wi-?fi(?![ -]calling)/, toggle: 'toggle_wifi', look: 'check_wifi_status', on: /Wi-Fi is ON/ },
  { noun: /roaming/, toggle: 'toggle_roaming', look: 'check_network_status', on: /Data Roaming Enabled: Yes/ },
  {
    noun: /(?:mobile|cellular) data(?! (?:saver|roaming))|toggle data(?! (?:saver|roaming))/,
    toggle: 'toggle_data',
    look: 'check_network_status',
    on: /Mobile Data Enabled: Yes/,
  },
]

const ON = /\b(?:turn(?:ed|ing)?|switch(?:ed)?)\b[^.]*\bon\b|\b(?:enable|activate)\b|\bis on\b/
const OFF = /\b(?:turn(?:ed|ing)?|switch(?:ed)?)\b[^.]*\boff\b|\b(?:disable|deactivate)\b|\bis off\b/
const CHANGE = /\b(?:toggle|turn|switch|enable|disable|activate|deactivate)\b/
const LOOK = /\b(?:check|look|see|tell me|let me know|what|which|is|are|does|verify|confirm)\b/

const MODES: [RegExp, string][] = [
  [/4g[ _/]*5g|5g[ _/]*4g|\b5g\b/, '4g_5g_preferred'],
  [/4g|lte/, '4g_only'],
  [/3g/, '3g_only'],
  [/2g/, '2g_only'],
]
const APPS = ['messaging', 'browser']
const PERMISSIONS = ['sms', 'storage', 'phone', 'network']

/** Things to do that are no switches, in the order in which they are looked for in a sentence. */
const ACTIONS: { asked: RegExp; tool: string }[] = [
  { asked: /status bar/, tool: 'check_status_bar' },
  { asked: /speed ?test|internet speed/, tool: 'run_speed_test' },
  { asked: /(?:re-?seat|re-?insert|remove|take out)[^.]*sim/, tool: 'reseat_sim_card' },
  { asked: /(?:check|status|is|state)[^.]*sim\b/, tool: 'check_sim_status' },
  { asked: /reset[^.]*apn|apn[^.]*reset/, tool: 'reset_apn_settings' },
  { asked: /apn/, tool: 'check_apn_settings' },
  { asked: /(?:disconnect|turn off|disable|switch off)[^.]*vpn/, tool: 'disconnect_vpn' },
  { asked: /(?:connect|turn on|enable)[^.]*vpn/, tool: 'connect_vpn' },
  { asked: /vpn/, tool: 'check_vpn_status' },
  { asked: /re-?boot|restart|power[ -]cycle/, tool: 'reboot_device' },
  { asked: /installed apps|apps (?:are|that are) installed/, tool: 'check_installed_apps' },
  { asked: /(?:send|sending|test|try)[^.]*(?:mms|picture message)|can[ _]send[ _]mms/, tool: 'can_send_mms' },
  { asked: /(?:check|see|received?|look)[^.]*payment request/, tool: 'check_payment_request' },
  { asked: /(?:make|complete|approve|proceed with)[^.]*payment|pay (?:the|your|this) bill/, tool: 'make_payment' },
  { asked: /network status|signal strength|connection status/, tool: 'check_network_status' },
]

/** A sentence that asks for something, rather than telling what was or will be done. */
const ASKS =
  /\?|\b(?:please|could you|can you|would you|try|need you to|like you to|let's|next,|now,|go to|ask you to)\b|^\W*(?:\d+[.)]\s*)?(?:check|turn|toggle|switch|enable|disable|reboot|restart|reset|set|grant|allow|run|remove|re-?seat|re-?insert|make|disconnect|connect|open)\b/i

/**
 * What a message asks a user to do with its tools, in the order of the sentences. By words alone: a tool that is called by its
 * name, or the things of a phone.
 */
export function wantedOf(message: string, tools: readonly string[]): Wanted[] {
  const wanted: Wanted[] = []
  for (const sentence of message.split(/(?<=[.!?])\s+|\n+|,? (?:and )?then (?=\w)/)) {
    if (!ASKS.test(sentence)) continue
    for (const one of inSentence(sentence.toLowerCase(), tools)) {
      const again = wanted.some(({ tool, args }) => tool === one.tool && sameArgs(args, one.args))
      if (!again && tools.includes(one.tool)) wanted.push(one)
    }
  }
  return wanted
}

const sameArgs = (a: Wanted['args'], b: Wanted['args']): boolean => JSON.stringify(a) === JSON.stringify(b)

function inSentence(sentence: string, tools: readonly string[]): Wanted[] {
  const words = sentence.replaceAll('_', ' ')
  const named = tools.filter((tool) => words.includes(tool.replaceAll('_', ' ')))
  if (named.length > 0) {
    // "toggle data saver mode" names `toggle_data` too.
    const longest = named.filter((tool) => !named.some((other) => other !== tool && other.startsWith(tool)))
    return longest.flatMap((tool) => argumentsOf(tool, words))
  }
  const found = SWITCHES.find(({ noun }) => noun.test(words))
  if (found) {
    const { toggle: tool, look, on } = found
    if (!CHANGE.test(words)) return LOOK.test(words) ? [plain(look)] : []
    const [turnsOn, turnsOff] = [ON.test(words), OFF.test(words)]
    if (turnsOn === turnsOff) return [plain(tool)]
    return [{ tool, args: {}, unless: { look, isSo: (seen) => on.test(seen) === turnsOn } }]
  }
  if (/permission/.test(words)) {
    return argumentsOf(
      /\b(?:grant|allow|give|enable|turn on)\b/.test(words) ? 'grant_app_permission' : 'check_app_permissions',
      words,
    )
  }
  if (/network (?:mode|type|preference)|preferred network/.test(words)) {
    const sets = /\b(?:set|change|switch|select|choose)\b/.test(words) && MODES.some(([mode]) => mode.test(words))
    return argumentsOf(sets ? 'set_network_mode_preference' : 'check_network_mode_preference', words)
  }
  const action = ACTIONS.find(({ asked }) => asked.test(words))
  return action ? [plain(action.tool)] : []
}

const plain = (tool: string): Wanted => ({ tool, args: {} })

/** A call with what the sentence says of its arguments; several permissions are several calls. */
function argumentsOf(tool: string, words: string): Wanted[] {
  const app = APPS.find((name) => words.includes(name)) ?? 'messaging'
  switch (tool) {
    case 'set_network_mode_preference': {
      const mode = MODES.find(([pattern]) => pattern.test(words))?.[1]
      return mode ? [{ tool, args: { mode } }] : []
    }
    case 'grant_app_permission': {
      const said = words.replace(/\b(?:on|of|in) (?:your|the|my) phone\b/g, '')
      const named = PERMISSIONS.filter((permission) => new RegExp(`\\b${permission}\\b`).test(said))
      return named.map((permission) => ({ tool, args: { app_name: app, permission } }))
    }
    case 'check_app_permissions':
    case 'check_app_status':
      return [{ tool, args: { app_name: app } }]
    case 'dismiss_notification': {
      const id = /\bnotif \w+/.exec(words)?.[0].replace(' ', '_')
      return id ? [{ tool, args: { notification_id: id } }] : []
    }
    default:
      return [plain(tool)]
  }
}

/** The next call to make of what was asked, given the results of those made so far; null when all is done. */
export function nextCall(
  wanted: readonly Wanted[],
  results: readonly Pick<ToolResult, 'content'>[],
): Pick<Wanted, 'tool' | 'args'> | null {
  let made = 0
  for (const { tool, args, unless } of wanted) {
    if (unless) {
      if (made === results.length) return { tool: unless.look, args: {} }
      if (unless.isSo(results[made++].content)) continue
    }
    if (made === results.length) return { tool, args }
    made++
  }
  return null
}
