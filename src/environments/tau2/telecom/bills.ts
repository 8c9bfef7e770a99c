import { field, int, list, str } from '../model.ts'
import { contains } from '../python/access.ts'
import { compareText } from '../python/arithmetic.ts'
import { PyDate } from '../python/date.ts'
import { PyError, valueError } from '../python/errors.ts'
import { str as text } from '../python/number.ts'
import { isTruthy, type PyValue, withoutBool } from '../python/value.ts'
import { method } from '../tool.ts'
import { agentTool } from './described.ts'
import { type Bill, billModel, type Customer, lineItemModel } from './models.ts'
import { billById, customerById, lineById, planById } from './records.ts'
import { type TelecomState, TODAY } from './state.ts'

const day = (iso: string): PyDate => PyDate.date(iso)

/** The months after and before the one that `TODAY` is in. A bill is issued on the first day, and due two weeks later. */
const NEXT_MONTH = { period_start: day('2025-03-01'), period_end: day('2025-03-31'), due_date: day('2025-03-15') }
const LAST_MONTH = { period_start: day('2025-01-01'), period_end: day('2025-01-31'), due_date: day('2025-01-15') }

export function billsAwaitingPayment(state: TelecomState, customer: Customer): Bill[] {
  return customer.bill_ids.map((id) => billById(state, id)).filter((bill) => bill.status === 'Awaiting Payment')
}

export function setBillPaid(state: TelecomState, billId: string): void {
  billById(state, billId).status = 'Paid'
}

/**
 * A bill without items, put behind the customer's others.
 * @throws PyError ValidationError for an id that is no text
 */
function newBill(
  { db }: TelecomState,
  customer: Customer,
  billId: PyValue,
  status: Bill['status'],
  month: typeof NEXT_MONTH,
): Bill {
  const bill = billModel.of({
    bill_id: billId,
    customer_id: customer.customer_id,
    ...month,
    issue_date: month.period_start,
    total_due: 0n,
    status,
  })
  db.value.bills.push(bill)
  customer.bill_ids.push(bill.bill_id)
  return bill
}

function addItem(bill: Bill, amount: number, description: string): void {
  const item_type = amount < 0 ? 'Credit' : 'Charge'
  bill.line_items.push(lineItemModel.of({ description, amount, date: TODAY, item_type }))
  bill.total_due += amount
}

/** Puts an amount on the customer's first draft bill; without one, on a new one for the next month. */
export function chargeCustomer(state: TelecomState, customerId: PyValue, amount: number, description: string): void {
  const customer = customerById(state, customerId)
  const id = customer.bill_ids.find((one) => billById(state, one).status === 'Draft')
  const bill = id === undefined ? newBill(state, customer, state.newBillId(), 'Draft', NEXT_MONTH) : billById(state, id)
  addItem(bill, amount, description)
}

/** `items[:limit]`. */
function firstItems(items: Bill[], limit: PyValue): Bill[] {
  if (limit === null) return items
  const end = withoutBool(limit)
  if (typeof end !== 'bigint') {
    throw new PyError('TypeError', 'slice indices must be integers or None or have an __index__ method')
  }
  return items.slice(0, Number(end))
}

export const billTools = [
  agentTool(
    'get_bills_for_customer',
    'read',
    { customer_id: str, limit: field(int, undefined, 12n) },
    list(billModel),
    (state, customerId, limit) => {
      const bills = customerById(state, customerId).bill_ids.map((id) => billById(state, id))
      bills.sort((left, right) => compareText(right.issue_date.iso, left.issue_date.iso))
      return firstItems(bills, limit)
    },
  ),
  agentTool('send_payment_request', 'write', { customer_id: str, bill_id: str }, str, (state, customerId, billId) => {
    const customer = customerById(state, customerId)
    if (billsAwaitingPayment(state, customer).length > 0) {
      throw valueError('A bill is already awaiting payment for this customer')
    }
    if (!contains(customer.bill_ids, billId)) {
      throw valueError(`Bill ${text(billId)} not found for customer ${text(customerId)}`)
    }
    const bill = billById(state, billId)
    bill.status = 'Awaiting Payment'
    return `Payment request sent to the customer for bill ${bill.bill_id}`
  }),
]

function suspendForOverdueBill(
  state: TelecomState,
  customerId: PyValue,
  lineId: PyValue,
  billId: PyValue,
  contractEnded: PyValue,
): PyValue {
  const line = lineById(state, lineId)
  if (line.status !== 'Active') throw valueError('Line must be active to suspend for unpaid bill')
  const amount = planById(state, line.plan_id).price_per_month
  if (amount <= 0) throw valueError('Amount must be positive for overdue bill')
  const customer = customerById(state, customerId)
  const hasOverdue = customer.bill_ids.map((id) => billById(state, id)).some((bill) => bill.status === 'Overdue')
  if (hasOverdue) throw valueError('Customer already has an overdue bill')
  const bill = newBill(state, customer, billId, 'Overdue', LAST_MONTH)
  addItem(bill, amount, `Charge for line ${line.line_id}`)
  line.status = 'Suspended'
  line.suspension_start_date = TODAY
  if (isTruthy(contractEnded)) line.contract_end_date = LAST_MONTH.period_end
  return `Line ${text(lineId)} suspended for unpaid bill ${text(billId)}. Contract ended: ${text(contractEnded)}`
}

export const billMethods = [
  method<TelecomState>(
    'suspend_line_for_overdue_bill',
    ['customer_id', 'line_id', 'new_bill_id', 'contract_ended'],
    suspendForOverdueBill,
  ),
]
