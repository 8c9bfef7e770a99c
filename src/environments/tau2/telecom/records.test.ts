import { describe, expect, it } from 'vitest'
import { agent, args, changes, newWorld, open, run, user } from './testing/world.ts'

const L1 = '"customer_id": "C1", "line_id": "L1"'
const L3 = '"customer_id": "C2", "line_id": "L3"'

describe('records', () => {
  it('are found by number, name and id', () => {
    const world = newWorld()
    expect(agent(world, 'get_customer_by_phone', '{"phone_number": "555-700-0002"}')).toContain('"C1"')
    expect(agent(world, 'get_customer_by_name', '{"full_name": "RUI okafor", "dob": "1991-12-24"}')).toContain('"C2"')
    expect(agent(world, 'get_customer_by_name', '{"full_name": "Rui Okafor", "dob": "1991-12-25"}')).toBe('[]')
    for (const id of ['L3', 'D2', 'B1', 'C2', 'P1']) {
      expect(agent(world, 'get_details_by_id', `{"id": "${id}"}`)).toContain(`"${id}"`)
    }
    expect(agent(world, 'get_details_by_id', '{"id": "D1"}')).toContain('"activation_date": "2024-11-02 08:15:00"')
    expect(agent(world, 'get_customer_by_id', '{"customer_id": "C2"}')).toContain('"created_at": "2025-01-01"')
    expect(changes(world)).toEqual([])
  })

  it('lists bills, newest first, as Python slices', () => {
    const ids = (limit: string) =>
      [...agent(newWorld(), 'get_bills_for_customer', `{"customer_id": "C1"${limit}}`).matchAll(/"bill_id": "(..)"/g)]
        .map(([, id]) => id)
        .join(' ')
    expect(ids('')).toBe('B2 B1')
    expect(ids(', "limit": true')).toBe('B2')
    expect(ids(', "limit": -1')).toBe('B2')
    expect(ids(', "limit": 0')).toBe('')
    expect(ids(', "limit": null')).toBe('B2 B1')
  })

  it('suspends, resumes, and lets roam', () => {
    const world = open()
    expect(agent(world, 'suspend_line', `{${L1}, "reason": "lost"}`)).toContain('"suspension_start_date": "2025-02-25"')
    expect(agent(world, 'suspend_line', `{${L1}, "reason": "lost"}`)).toBe('Error: Line must be active to suspend')
    expect(agent(world, 'resume_line', `{${L1}}`)).toContain('"suspension_start_date": null')
    expect(agent(world, 'enable_roaming', `{${L1}}`)).toBe('Roaming enabled successfully')
    expect(agent(world, 'enable_roaming', `{${L1}}`)).toBe('Roaming was already enabled')
    expect(agent(world, 'resume_line', '{"customer_id": "C1", "line_id": "L3"}')).toMatch(
      /L3 not found for customer C1$/,
    )
    expect(changes(world)).toEqual([
      'replace /lines/0/roaming_enabled true',
      'replace /surroundings/name "Ilse Marten"',
      'replace /surroundings/phone_number "555-700-0001"',
      'replace /surroundings/roaming_allowed true',
    ])
  })

  it('refuels onto a draft bill of its own making', () => {
    const world = newWorld()
    expect(agent(world, 'refuel_data', `{${L3}, "gb_amount": 2}`)).toBe(
      '{"message": "Successfully added 2 GB of data for line L3 for $0.20", "new_data_refueling_gb": "2.0", "charge": "0.2"}',
    )
    agent(world, 'refuel_data', `{${L3}, "gb_amount": 1.0}`)
    expect(agent(world, 'get_data_usage', `{${L3}}`)).toBe(
      '{"line_id": "L3", "data_used_gb": "0.0", "data_limit_gb": "40.0", "data_refueling_gb": "3.0", "cycle_end_date": "2025-02-28"}',
    )
    expect(agent(world, 'get_details_by_id', '{"id": "B00000001"}')).toBe(
      '{"bill_id": "B00000001", "customer_id": "C2", "period_start": "2025-03-01", "period_end": "2025-03-31", "issue_date": "2025-03-01", "total_due": 0.30000000000000004, "due_date": "2025-03-15", "line_items": [{"description": "Data refueling: 2 GB at $0.1/GB", "amount": 0.2, "date": "2025-02-25", "item_type": "Charge"}, {"description": "Data refueling: 1.0 GB at $0.1/GB", "amount": 0.1, "date": "2025-02-25", "item_type": "Charge"}], "status": "Draft"}',
    )
    expect(agent(world, 'refuel_data', `{${L3}, "gb_amount": -0.0}`)).toBe('Error: Refuel amount must be positive')
  })

  it.each([
    ['get_customer_by_phone', '{"phone_number": 5}', 'Customer with phone number 5 not found'],
    ['get_customer_by_id', '{"customer_id": ["C1"]}', "Customer with ID ['C1'] not found"],
    ['get_customer_by_name', '{"full_name": 1.0, "dob": "x"}', "'float' object has no attribute 'lower'"],
    ['get_details_by_id', '{"id": true}', "'bool' object has no attribute 'startswith'"],
    ['get_details_by_id', '{"id": ""}', 'Unknown ID format or type: '],
    ['resume_line', '{"customer_id": "C1", "line_id": null}', 'Line None not found for customer C1'],
    ['refuel_data', `{${L1}, "gb_amount": "2"}`, "'<=' not supported between instances of 'str' and 'int'"],
    ['refuel_data', `{${L1}, "gb_amount": null}`, "'<=' not supported between instances of 'NoneType' and 'int'"],
    ['refuel_data', `{${L1}, "gb_amount": 1${'0'.repeat(400)}}`, 'int too large to convert to float'],
    [
      'get_bills_for_customer',
      '{"customer_id": "C1", "limit": 1.0}',
      'slice indices must be integers or None or have an __index__ method',
    ],
    [
      'suspend_line',
      '{"customer_id": "C1", "line_id": "L1"}',
      "TelecomTools.suspend_line() missing 1 required positional argument: 'reason'",
    ],
  ])('%s refuses %s', (name, json, message) => {
    const world = newWorld()
    expect(world.call('assistant', name, args(json))).toEqual({ content: `Error: ${message}`, error: true })
    expect(changes(world)).toEqual([])
  })
})

describe('payment', () => {
  it('goes from the agent to the user and back', () => {
    const world = open()
    expect(user(world, 'check_payment_request')).toBe('No payment request has been made.')
    expect(user(world, 'make_payment')).toBe('You do not have a payment request.')
    expect(agent(world, 'send_payment_request', '{"customer_id": "C1", "bill_id": "B2"}')).toMatch(/for bill B2$/)
    expect(agent(world, 'send_payment_request', '{"customer_id": "C1", "bill_id": "B1"}')).toMatch(/already awaiting/)
    expect(user(world, 'check_payment_request')).toBe('You have a payment request for bill B2 of 75.5 USD.')
    expect(user(world, 'make_payment')).toBe('Payment of 75.5 USD has been made for bill B2.')
    expect(changes(world).filter((one) => /bill|payment/.test(one))).toEqual(['replace /bills/1/status "Paid"'])
  })

  it('brings back a line suspended for an overdue bill', () => {
    const world = open()
    const overdue = `{${L1}, "new_bill_id": "B7", "contract_ended": true}`
    expect(run(world, 'assistant', 'suspend_line_for_overdue_bill', overdue)).toMatch(/B7. Contract ended: True$/)
    expect(
      run(world, 'assistant', 'assert_overdue_bill_exists', '{"customer_id": "C1", "overdue_bill_id": "B7"}'),
    ).toBe(true)
    expect(user(world, 'reboot_device')).toMatch(/No Signal/)
    expect(run(world, 'assistant', 'assert_no_overdue_bill', '{"overdue_bill_id": "B7"}')).toBe(false)
    agent(world, 'send_payment_request', '{"customer_id": "C1", "bill_id": "B7"}')
    user(world, 'make_payment')
    agent(world, 'resume_line', `{${L1}}`)
    expect(user(world, 'reboot_device')).toMatch(/Excellent \| 5G/)
    expect(run(world, 'assistant', 'assert_no_overdue_bill', '{"overdue_bill_id": "B7"}')).toBe(true)
    expect(() => run(world, 'assistant', 'suspend_line_for_overdue_bill', overdue.replace('"B7"', '7'))).toThrow(
      '1 validation error for Bill\nbill_id\n  Input should be a valid string [type=string_type, input_value=7, input_type=int]',
    )
  })

  it('asks for nothing until the user has a number, and then for a number that is some line’s', () => {
    const world = newWorld()
    agent(world, 'send_payment_request', '{"customer_id": "C1", "bill_id": "B2"}')
    expect(user(world, 'check_payment_request')).toBe('No payment request has been made.')
    expect(() => run(world, 'user', 'set_user_info', '{"name": "x", "phone_number": "1"}')).toThrow(
      'Line with phone number 1 not found',
    )
    expect(world.call('user', 'toggle_wifi', args('{}'))).toEqual({
      content: 'Error: Line with phone number 1 not found',
      error: true,
    })
  })
})
