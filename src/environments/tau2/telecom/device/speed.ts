import { formatFixed, roundFloat } from '../../python/number.ts'
import { userTool } from '../described.ts'
import { phoneOf, type TelecomState } from '../state.ts'
import type { NetworkTechnology, SignalStrength } from '../usermodels.ts'
import { isMobileDataWorking } from './connection.ts'

/** Slowest and fastest, in megabits a second. */
const RANGES: { readonly [T in NetworkTechnology]: readonly [number, number] } = {
  none: [0, 0],
  '2G': [0.1, 0.4],
  '3G': [1, 5],
  '4G': [10, 100],
  '5G': [50, 500],
}

const SIGNAL_FACTORS: { readonly [S in SignalStrength]: number } = {
  none: 0,
  poor: 0.2,
  fair: 0.5,
  good: 0.8,
  excellent: 1,
}

const ADVICE = {
  'Very Poor': 'Connection is very slow. Basic web browsing might be difficult.',
  Poor: 'Connection is slow. Web browsing may be sluggish, streaming difficult.',
  Fair: 'Connection is okay for web browsing and some standard definition streaming.',
  Good: 'Connection is good for most activities, including HD streaming.',
  Excellent: 'Connection is very fast.',
}

export interface Speed {
  mbps: number
  description: keyof typeof ADVICE
}

function describe(mbps: number): Speed['description'] {
  if (mbps < 1) return 'Very Poor'
  if (mbps < 5) return 'Poor'
  if (mbps < 25) return 'Fair'
  return mbps < 100 ? 'Good' : 'Excellent'
}

/** What a speed test measures, or null where mobile data does not work. */
export function measureSpeed(state: TelecomState): Speed | null {
  if (!isMobileDataWorking(state)) return null
  const phone = phoneOf(state)
  let factor = phone.vpn_connected && phone.vpn_details?.server_performance === 'poor' ? 0.1 : 1
  if (phone.data_saver_mode) factor *= 0.2
  const [slowest, fastest] = RANGES[phone.network_technology_connected]
  const signal = SIGNAL_FACTORS[phone.network_signal_strength]
  const mbps = roundFloat(((slowest + fastest) / 2) * signal * factor, 2)
  return { mbps, description: describe(mbps) }
}

export const speedTools = [
  userTool('run_speed_test', 'read', (state) => {
    const speed = measureSpeed(state)
    if (speed === null) return 'Speed test failed: No Connection.'
    const { mbps, description } = speed
    return `Speed Test Result: ${formatFixed(mbps, 2)} Mbps (${description}). ${ADVICE[description]}`
  }),
]
