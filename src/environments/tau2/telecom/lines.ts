import { any, dict, float, str } from '../model.ts'
import { add, compare, multiply } from '../python/arithmetic.ts'
import { PyDate } from '../python/date.ts'
import { valueError } from '../python/errors.ts'
import { formatFixed, str as text } from '../python/number.ts'
import type { PyValue } from '../python/value.ts'
import { method } from '../tool.ts'
import { chargeCustomer } from './bills.ts'
import { agentTool } from './described.ts'
import type { Line } from './models.ts'
import { lineOfCustomer, planById } from './records.ts'
import { type TelecomState, TODAY } from './state.ts'

/** The last day of the month that `TODAY` is in. */
const CYCLE_END = PyDate.date('2025-02-28')

const anyDict = dict(any)
const lineParameters = { customer_id: str, line_id: str }

function reported(message: string, line: Line): PyValue {
  return new Map<string, PyValue>([
    ['message', message],
    ['line', line],
  ])
}

function refuel(state: TelecomState, customerId: PyValue, lineId: PyValue, amount: PyValue): PyValue {
  const line = lineOfCustomer(state, customerId, lineId)
  // Upstream's description promises that only an active line is refuelled; its code refuels any.
  if (compare(amount, 0n, '<=') <= 0) throw valueError('Refuel amount must be positive')
  const price = planById(state, line.plan_id).data_refueling_price_per_gb
  const charge = multiply(amount, price) as number
  line.data_refueling_gb = add(line.data_refueling_gb, amount, '+=') as number
  chargeCustomer(state, customerId, charge, `Data refueling: ${text(amount)} GB at $${text(price)}/GB`)
  return new Map<string, PyValue>([
    [
      'message',
      `Successfully added ${text(amount)} GB of data for line ${text(lineId)} for $${formatFixed(charge, 2)}`,
    ],
    ['new_data_refueling_gb', line.data_refueling_gb],
    ['charge', charge],
  ])
}

export const lineTools = [
  agentTool('suspend_line', 'write', { ...lineParameters, reason: str }, anyDict, (state, customerId, lineId) => {
    const line = lineOfCustomer(state, customerId, lineId)
    if (line.status !== 'Active') throw valueError('Line must be active to suspend')
    line.status = 'Suspended'
    line.suspension_start_date = TODAY
    return reported('Line suspended successfully. $5/month holding fee will apply.', line)
  }),
  agentTool('resume_line', 'write', lineParameters, anyDict, (state, customerId, lineId) => {
    const line = lineOfCustomer(state, customerId, lineId)
    if (line.status !== 'Suspended' && line.status !== 'Pending Activation') {
      throw valueError('Line must be suspended to resume')
    }
    line.status = 'Active'
    line.suspension_start_date = null
    return reported('Line resumed successfully', line)
  }),
  agentTool('get_data_usage', 'read', lineParameters, anyDict, (state, customerId, lineId) => {
    const line = lineOfCustomer(state, customerId, lineId)
    return new Map<string, PyValue>([
      ['line_id', lineId],
      ['data_used_gb', line.data_used_gb],
      ['data_limit_gb', planById(state, line.plan_id).data_limit_gb],
      ['data_refueling_gb', line.data_refueling_gb],
      ['cycle_end_date', CYCLE_END],
    ])
  }),
  // This one's type upstream is a dictionary, though it returns a text.
  agentTool('enable_roaming', 'write', lineParameters, anyDict, (state, customerId, lineId) => {
    const line = lineOfCustomer(state, customerId, lineId)
    if (line.roaming_enabled) return 'Roaming was already enabled'
    line.roaming_enabled = true
    return 'Roaming enabled successfully'
  }),
  agentTool('disable_roaming', 'write', lineParameters, str, (state, customerId, lineId) => {
    const line = lineOfCustomer(state, customerId, lineId)
    if (!line.roaming_enabled) return 'Roaming was already disabled'
    line.roaming_enabled = false
    return 'Roaming disabled successfully'
  }),
  agentTool('refuel_data', 'write', { ...lineParameters, gb_amount: float }, anyDict, refuel),
]

export const lineMethods = [
  method<TelecomState>(
    'set_data_usage',
    ['customer_id', 'line_id', 'data_used_gb'],
    (state, customerId, lineId, used) => {
      // Nothing checks the type of what is set, here as upstream.
      lineOfCustomer(state, customerId, lineId).data_used_gb = used as number
      return `Data usage set to ${text(used)} GB for line ${text(lineId)}`
    },
  ),
]
