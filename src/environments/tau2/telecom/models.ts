import {
  bool,
  date,
  datetime,
  enumeration,
  field,
  float,
  type InstanceOf,
  list,
  Model,
  optional,
  str,
} from '../model.ts'
import { PyDate } from '../python/date.ts'

/**
 * The telecom company's database. Names and descriptions are upstream's, for they reach models in schemas
 * (τ²-bench, Sierra Research, MIT licence, https://github.com/sierra-research/tau2-bench).
 */

const closed = { forbidExtra: true }

const DATE_FORMAT = '(format: YYYY-MM-DD, timezone: EST)'
const TIME_FORMAT = '(format: YYYY-MM-DDTHH:MM:SS, timezone: EST)'

const address = new Model(
  'Address',
  {
    street: field(str, 'Street address including house/apartment number'),
    city: field(str, 'City name'),
    state: field(str, 'State or province code (e.g., CA, NY)'),
    zip_code: field(str, 'Postal/ZIP code'),
  },
  closed,
)

const plan = new Model(
  'Plan',
  {
    plan_id: field(str, 'Unique identifier for the plan'),
    name: field(str, 'Display name of the plan'),
    data_limit_gb: field(float, 'Monthly data allowance in gigabytes (GB)'),
    price_per_month: field(float, 'Monthly price of the plan in USD'),
    data_refueling_price_per_gb: field(float, 'Price per gigabyte for data refueling'),
  },
  closed,
)

const deviceType = enumeration('DeviceType', ['phone', 'router', 'tablet', 'watch', 'other'])

const device = new Model(
  'Device',
  {
    device_id: field(str, 'Unique identifier for the device'),
    device_type: field(deviceType, 'Type/category of the device'),
    model: field(str, 'Model name/number of the device'),
    imei: field(optional(str), 'International Mobile Equipment Identity number', null),
    is_esim_capable: field(bool, 'Whether the device supports eSIM technology'),
    activated: field(bool, 'Whether the device has been activated on the network', false),
    activation_date: field(optional(datetime), `Date and time when the device was activated ${TIME_FORMAT}`, null),
    last_esim_transfer_date: field(
      optional(datetime),
      `Last date an eSIM profile was transferred to this device ${TIME_FORMAT}`,
      null,
    ),
  },
  closed,
)

const lineStatus = enumeration('LineStatus', ['Active', 'Suspended', 'Pending Activation', 'Closed'])

const line = new Model(
  'Line',
  {
    line_id: field(str, 'Unique identifier for the line'),
    phone_number: field(str, 'Phone number associated with the line'),
    status: field(lineStatus, 'Current status of the line', 'Pending Activation'),
    plan_id: field(str, 'Plan associated with this line'),
    device_id: field(optional(str), 'Device associated with this line', null),
    data_used_gb: field(float, 'Data used in the current billing cycle in gigabytes (GB)', 0),
    data_refueling_gb: field(float, 'Data refueled in the current billing cycle in gigabytes (GB)', 0),
    roaming_enabled: field(bool, 'Whether international roaming is enabled for this line', false),
    contract_end_date: field(optional(date), `End date of the current contract, if applicable ${DATE_FORMAT}`, null),
    last_plan_change_date: field(optional(date), `Date of the most recent plan change ${DATE_FORMAT}`, null),
    last_sim_replacement_date: field(
      optional(date),
      `Date of the most recent SIM card replacement ${DATE_FORMAT}`,
      null,
    ),
    suspension_start_date: field(
      optional(date),
      `Start date of the current suspension period, if applicable ${DATE_FORMAT}`,
      null,
    ),
  },
  closed,
)

export const lineItemModel = new Model(
  'LineItem',
  {
    description: field(str, 'Descriptive text for the line item'),
    amount: field(float, 'Monetary amount in USD (positive for charges, negative for credits)'),
    date: field(date, `Date the line item was applied ${DATE_FORMAT}`),
    item_type: field(str, 'Category of the line item (e.g., Plan Charge, Overage, Fee, Credit, Payment)'),
  },
  closed,
)

const billStatus = enumeration('BillStatus', ['Draft', 'Issued', 'Awaiting Payment', 'Paid', 'Overdue', 'Disputed'])

export const billModel = new Model(
  'Bill',
  {
    bill_id: field(str, 'Unique identifier for the bill'),
    customer_id: field(str, 'ID of the customer this bill belongs to'),
    period_start: field(date, `Start date of the billing period ${DATE_FORMAT}`),
    period_end: field(date, `End date of the billing period ${DATE_FORMAT}`),
    issue_date: field(date, `Date the bill was issued/generated ${DATE_FORMAT}`),
    total_due: field(float, 'Total amount due in USD'),
    due_date: field(date, `Date by which payment is due ${DATE_FORMAT}`),
    line_items: field(list(lineItemModel), 'Individual charges, credits, and payments on this bill', []),
    status: field(billStatus, 'Current status of the bill', 'Draft'),
  },
  closed,
)

const accountStatus = enumeration('AccountStatus', ['Active', 'Suspended', 'Pending Verification', 'Closed'])

const paymentMethod = new Model(
  'PaymentMethod',
  {
    method_type: field(
      enumeration('PaymentMethodType', ['Credit Card', 'Debit Card', 'PayPal']),
      'Type of payment method',
    ),
    account_number_last_4: field(str, 'Last 4 digits of the account number'),
    expiration_date: field(str, 'The expiration date of the payment method in the format MM/YYYY'),
  },
  closed,
)

export const customerModel = new Model(
  'Customer',
  {
    customer_id: field(str, 'Unique identifier for the customer'),
    full_name: field(str, "Customer's full name"),
    date_of_birth: field(str, "Customer's date of birth for identity verification (format: YYYY-MM-DD)"),
    email: field(str, "Customer's email address"),
    phone_number: field(str, "Customer's primary contact phone number"),
    address: field(address, "Customer's billing address"),
    account_status: field(accountStatus, 'Current status of the customer account', 'Pending Verification'),
    payment_methods: field(list(paymentMethod), 'Stored payment methods for this customer', []),
    line_ids: field(list(str), 'Phone/data lines owned by this customer', []),
    bill_ids: field(list(str), 'Bills associated with this customer', []),
    // Upstream's default is a date although the field holds a datetime, and a default is not converted.
    created_at: field(
      datetime,
      `Date and time when the customer account was created ${TIME_FORMAT}`,
      PyDate.date('2025-01-01'),
    ),
    last_extension_date: field(
      optional(date),
      `Date of the most recent payment extension (used for quarterly limit check) ${DATE_FORMAT}`,
      null,
    ),
    goodwill_credit_used_this_year: field(float, 'Amount of goodwill credit used in the current calendar year', 0),
  },
  closed,
)

export const telecomModel = new Model(
  'TelecomDB',
  {
    plans: field(list(plan), 'Available service plans', []),
    customers: field(list(customerModel), 'All customers in the system', []),
    lines: field(list(line), 'All lines in the system', []),
    bills: field(list(billModel), 'All bills in the system', []),
    devices: field(list(device), 'All devices in the system', []),
  },
  closed,
)

export type Plan = InstanceOf<typeof plan>
export type Device = InstanceOf<typeof device>
export type Line = InstanceOf<typeof line>
export type Bill = InstanceOf<typeof billModel>
export type Customer = InstanceOf<typeof customerModel>
export type TelecomRecords = InstanceOf<typeof telecomModel>
